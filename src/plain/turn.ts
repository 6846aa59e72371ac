import type { Intent } from '../wizard/intents.ts';

/** What choosing an item of a menu does. */
export type Act =
  | { readonly kind: 'do'; readonly intents: readonly Intent[] }
  | { readonly kind: 'say'; readonly lines: () => readonly string[] }
  /** One more question: which of these. */
  | { readonly kind: 'pick'; readonly items: () => readonly Item[] }
  /** Goes on as before. */
  | { readonly kind: 'nothing' };

export interface Item {
  readonly label: string;
  /** The letter that stands for it on the full screens, as sentences there name it; null where there is none. */
  readonly letter: string | null;
  readonly act: Act;
}

/** What a person is asked next. */
export type Turn =
  /** Nothing: something runs. Enter opens the menu. */
  | { readonly kind: 'wait'; readonly said: string | null }
  | { readonly kind: 'menu'; readonly title: readonly string[]; readonly items: readonly Item[] }
  /** An answer in words; `accept` makes intents of it. */
  | {
      readonly kind: 'text';
      /** Changes with the question: then its introduction is said. */
      readonly id: string;
      readonly intro: readonly string[];
      readonly prompt: string;
      readonly accept: (text: string) => Answer;
    };

/** What an answer does: intents, or something to say before the same question is asked again. */
export type Answer = { readonly intents: readonly Intent[] } | { readonly say: readonly string[] };
