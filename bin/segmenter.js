// Replaces Intl.Segmenter: libraries create one while they load, which costs a start 14 ms of CPU, and few texts need
// it.
import { hasSingleUnitGraphemes } from '../src/platform/text.ts';

export class Segmenter {
  #constructorArguments;
  #segmenter = null;

  constructor(locales, options) {
    this.#constructorArguments = [locales, options];
  }

  segment(input) {
    const [, { granularity = 'grapheme' } = {}] = this.#constructorArguments;
    if (granularity === 'grapheme' && hasSingleUnitGraphemes(input)) return new SingleUnitSegments(input);
    this.#segmenter ??= new globalThis.Intl.Segmenter(...this.#constructorArguments);
    return this.#segmenter.segment(input);
  }
}

/** The segments of a text in which each UTF-16 unit is a grapheme. */
class SingleUnitSegments {
  #input;

  constructor(input) {
    this.#input = input;
  }

  containing(index = 0) {
    const position = Math.trunc(index);
    const segment = this.#input[position];
    return segment === undefined ? undefined : { segment, index: position, input: this.#input };
  }

  *[Symbol.iterator]() {
    for (let index = 0; index < this.#input.length; index += 1) yield this.containing(index);
  }
}
