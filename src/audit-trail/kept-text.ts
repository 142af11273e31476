/**
 * How a field's value is written, kept from one record to the next: moments, callers, instances and the ids of batches stay the same over many records, and to look a value up costs a
 * comparison where to check and quote it costs a pattern. One field's last value is kept, no more, so nothing grows.
 */
export class KeptText<Value, Text> {
  readonly #write: (value: Value) => Text;
  #value: Value | undefined;
  #text: Text | undefined;

  /** @param write depends on nothing but the value, which never changes */
  constructor(write: (value: Value) => Text) {
    this.#write = write;
  }

  of(value: Value): Text {
    if (this.#text === undefined || value !== this.#value) {
      this.#text = this.#write(value);
      this.#value = value;
    }
    return this.#text;
  }
}
