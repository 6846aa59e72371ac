import type { Imported } from '../../design/imports/imported.ts';
import type { Change as AnswerChange } from '../../design/readdress.ts';
import type { Page } from '../../steps/contract.ts';
import type { TextFieldState } from '../typing/text-field.ts';

/** What a file or pasted lines would bring, before a person takes it. Holds no secret: only the names of their files. */
export interface ImportOffer {
  /** The file as it was typed; null for pasted lines. */
  readonly path: string | null;
  readonly kind: Imported['kind'];
  readonly document: Imported['document'];
  readonly notes: readonly string[];
  /** Files to write beside the design when a person takes it. */
  readonly secrets: readonly string[];
}

/** Bringing in what a person already has: name a file, or type or paste lines; then see the offer, and take it. */
export type ImportState =
  /** A person types the name of a file; `refusal` says what was wrong with the last input. */
  | { readonly phase: 'file'; readonly editor: TextFieldState; readonly refusal: string | null }
  | { readonly phase: 'reading'; readonly editor: TextFieldState }
  | { readonly phase: 'lines'; readonly lines: string; readonly refusal: string | null }
  /** `choice`: the selected way to take the offer. `top`: the first line of what is said of it that is in sight. */
  | { readonly phase: 'offered'; readonly offer: ImportOffer; readonly choice: number; readonly top: number };

/** What lies over the screen, with its own state; null: nothing. `top` is the first line shown. */
export type Overlay =
  | { readonly kind: 'help'; readonly top: number }
  | { readonly kind: 'quit' }
  /** Leaving although the answers could not be saved. */
  | { readonly kind: 'unsaved' }
  /** An import from a file or pasted lines. */
  | { readonly kind: 'import'; readonly importing: ImportState }
  /** The offer to change the answers that follow from a changed one. */
  | { readonly kind: 'follow'; readonly change: AnswerChange; readonly top: number }
  /** Filling down from the selected node; `choice` is the selected kind, `isAcross`: also into nodes of other roles. */
  | { readonly kind: 'fill'; readonly choice: number; readonly isAcross: boolean }
  /** Goes anywhere by a part of its name; `choice`: the selected one of those that have it. */
  | { readonly kind: 'palette'; readonly editor: TextFieldState; readonly choice: number }
  /** The keys move in the list at the left, where `row` is selected. The screen stays as it is. */
  | { readonly kind: 'rail'; readonly row: number }
  /** From the rehearsal to the real installation: its directory is typed. `refusal`: what was wrong with the last one. */
  | { readonly kind: 'install'; readonly editor: TextFieldState; readonly refusal: string | null }
  /** A page that a person asked for; `shown` is null until it is there. */
  | { readonly kind: 'page'; readonly subject: string; readonly shown: Page | null; readonly top: number }
  | null;

/** What lay over the screen before a change of it, and whether one typed letter was the change. */
export interface OverlayBefore {
  readonly overlay: NonNullable<Overlay>;
  readonly isLetter: boolean;
}
