/**
 * The script of the console: fetches the same page every five seconds and replaces `<main>`. The
 * page works without it. The search form is kept, with what is typed in it.
 */
export const CONSOLE_SCRIPT = `'use strict';
{
  const INTERVAL_MS = 5000;
  const button = document.getElementById('pause');
  const updated = document.getElementById('updated');
  const news = document.getElementById('news');
  let isPaused = false;
  let hasFailed = false;

  const announce = (text) => { news.textContent = text; };

  /** Keeps the form, scrolled regions and the focused element, which all have an id. */
  function replaceMain(next) {
    const main = document.querySelector('main');
    const focused = document.activeElement;
    const [start, end] = focused.id === 'q' ? [focused.selectionStart, focused.selectionEnd] : [];
    const scrolled = [...main.querySelectorAll('[tabindex]')].map(({ id, scrollLeft }) => ({ id, scrollLeft }));
    const { scrollX, scrollY } = window;
    const form = main.querySelector('form');
    const nextForm = next.querySelector('form');
    if (form && nextForm) nextForm.replaceWith(form);
    main.replaceWith(next);
    for (const { id, scrollLeft } of scrolled) {
      const region = document.getElementById(id);
      if (region) region.scrollLeft = scrollLeft;
    }
    window.scrollTo({ left: scrollX, top: scrollY, behavior: 'instant' });
    const again = focused.id && document.getElementById(focused.id);
    if (!again || again === document.activeElement) return;
    again.focus({ preventScroll: true });
    if (start !== undefined) again.setSelectionRange(start, end);
  }

  async function refresh() {
    const response = await fetch(location.href, { signal: AbortSignal.timeout(2 * INTERVAL_MS) });
    if (!response.ok) throw new Error('the service responded ' + response.status);
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const next = page.querySelector('main');
    if (!next) throw new Error('the response is not this page');
    if (isPaused) return;
    const before = document.querySelector('main').dataset.state;
    replaceMain(document.adoptNode(next));
    document.title = page.title;
    updated.replaceChildren(...page.getElementById('updated').childNodes);
    if (hasFailed) announce('Updated again. ' + next.dataset.state);
    else if (next.dataset.state !== before) announce(next.dataset.state);
    hasFailed = false;
    document.body.classList.remove('stale');
  }

  async function refreshAgain() {
    if (!isPaused && !document.hidden) {
      try {
        await refresh();
      } catch (error) {
        if (!hasFailed) announce('Not updated: ' + error.message);
        hasFailed = true;
        document.body.classList.add('stale');
      }
    }
    setTimeout(refreshAgain, INTERVAL_MS);
  }

  button.hidden = false;
  button.addEventListener('click', () => {
    isPaused = !isPaused;
    button.textContent = isPaused ? 'Resume updates' : 'Pause updates';
    announce(isPaused ? 'Updates paused' : 'Updates resumed');
  });
  setTimeout(refreshAgain, INTERVAL_MS);
}
`;
