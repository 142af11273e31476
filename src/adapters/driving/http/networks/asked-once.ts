/** Answers that are kept at the most; then all are forgotten, and found out anew. */
const MOST_KEPT = 1024;

/** Characters of the longest address (RFC 4291 §2.2, IPv4 at its end). Where one is expected a caller may write thousands. */
const LONGEST_ADDRESS = 45;

/**
 * Finds out about each address once. A service has few callers, who come again and again, and Node reads an address anew for each question.
 * @param find depends on the address alone, and always says the same about it
 */
export function askedOnce<Answer extends string | boolean>(
  find: (address: string) => Answer,
): (address: string) => Answer {
  const kept = new Map<string, Answer>();
  return (address) => {
    const known = kept.get(address);
    if (known !== undefined) return known;
    if (address.length > LONGEST_ADDRESS) return find(address);
    const copy = copyOf(address);
    const answer = find(copy);
    if (kept.size === MOST_KEPT) kept.clear();
    kept.set(copy, answer);
    return answer;
  };
}

/** A part of a header holds all of the header in memory, as an answer that is a part of it would. */
function copyOf(address: string): string {
  return Buffer.from(address, 'utf16le').toString('utf16le');
}
