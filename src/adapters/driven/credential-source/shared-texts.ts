/** Keeps one copy of each text that many accounts have in common: a thread hands over one for each account, and each garbage collection goes through them all. */
export class SharedTexts {
  readonly #texts = new Map<string, string>();

  /** The first copy of this text that was asked for. */
  of<Text extends string>(text: Text): Text {
    const first = this.#texts.get(text);
    if (first !== undefined) return first as Text;
    this.#texts.set(text, text);
    return text;
  }
}
