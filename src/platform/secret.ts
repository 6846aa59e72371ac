/**
 * A text that may be shown on the screen and nowhere else: code that writes, logs or inspects it by accident gets a
 * placeholder. `reveal` is for the line that is drawn.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return HIDDEN;
  }
}

const HIDDEN = '(hidden)';
