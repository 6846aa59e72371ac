import type { english } from './en/index.ts';

/**
 * What a language has to say where English says `T`: any string for a string, a function of the same parts for a function of
 * parts. So a second language is typed by the first one, and a sentence stands in one place only.
 */
type Words<T> = T extends string
  ? string
  : T extends (...parts: infer Parts) => infer Said
    ? (...parts: Parts) => Words<Said>
    : T extends readonly (infer Each)[]
      ? readonly Words<Each>[]
      : T extends object
        ? { readonly [Key in keyof T]: Words<T[Key]> }
        : T;

/** Every sentence that a person reads, by area. A language is a folder whose index satisfies this. */
export type Catalogue = Words<typeof english>;

let chosen: Catalogue | null = null;

/** The words of the chosen language. They are looked up when they are shown: a module that keeps one would keep its language. */
export function catalogue(): Catalogue {
  if (chosen === null) throw new Error('a sentence was asked for before a language was chosen');
  return chosen;
}

/** Makes these the words that are shown from now on. */
export function speak(words: Catalogue): void {
  chosen = words;
}
