/** Page with the files to review. */
export const REVIEW_PAGE = 'docs/reviewers/review-in-an-hour.md';

/** Rounds line counts, so that few changes of a file change the page. */
const STEP = 50;

/**
 * Fills the column of line counts of the review page: a row begins with links to files, then the
 * number.
 * @param readLinked text of a file by its link, relative to the page
 */
export function withLineCounts(page: string, readLinked: (link: string) => string): string {
  return page.replace(/^(\| \[.*?\) \| )\d+ \|/gm, (_row, files: string) => {
    const links = [...files.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    const lines = links.reduce((sum, link) => sum + readLinked(link).split('\n').length, 0);
    return `${files}${Math.max(1, Math.round(lines / STEP)) * STEP} |`;
  });
}
