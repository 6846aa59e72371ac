import type { DesignChange } from '../../design/follow-up-changes.ts';
import type { ImportedDesign } from '../../design/imports/imported-design.ts';
import type { Page } from '../../steps/contract.ts';
import type { TextFieldState } from '../text-input.ts';

/**
 * The content of a file or of pasted lines, before the user accepts it. Holds no secrets, only the names of their
 * files.
 */
export interface ImportOffer {
  /** The path as typed; null for pasted lines. */
  readonly path: string | null;
  readonly kind: ImportedDesign['kind'];
  readonly document: ImportedDesign['document'];
  readonly notes: readonly string[];
  /** Files to write beside the design when the user accepts the offer. */
  readonly secrets: readonly string[];
}

/** Import of existing files: name a file, or type or paste lines; then review the offer, and accept it. */
export type ImportState =
  /** The user types the path of a file; `refusal`: why the last input was rejected. */
  | { readonly phase: 'file'; readonly editor: TextFieldState; readonly refusal: string | null }
  | { readonly phase: 'reading'; readonly editor: TextFieldState }
  | { readonly phase: 'lines'; readonly lines: string; readonly refusal: string | null }
  /**
   * `choice`: the selected mode. `top`: the first visible line of the description. `lines`: what was typed or pasted;
   * null for a file.
   */
  | {
      readonly phase: 'offered';
      readonly offer: ImportOffer;
      readonly choice: number;
      readonly top: number;
      readonly lines: string | null;
    };

/** The overlay on the screen, with its own state; null: none. `top` is the first visible line. */
export type Overlay =
  | { readonly kind: 'help'; readonly top: number }
  /** `isInterrupt`: Ctrl-C opened it, and leaving from it is an interrupt. */
  | { readonly kind: 'quit'; readonly isInterrupt: boolean }
  /** Confirms leaving although the answers could not be saved. */
  | { readonly kind: 'unsaved' }
  /** Confirms that a real installation begins with the site of the example. */
  | { readonly kind: 'example-site' }
  /** Import from a file or pasted lines. */
  | { readonly kind: 'import'; readonly importState: ImportState }
  /**
   * The offer to change the answers that depend on the one at `path`. `isFresh`: it has just appeared, so keys that
   * come now were typed ahead.
   */
  | {
      readonly kind: 'follow';
      readonly path: string;
      readonly change: DesignChange;
      readonly top: number;
      readonly isFresh: boolean;
    }
  /**
   * Fills down from the selected node. `choice`: the selected kind. `isForAllRoles`: also into nodes of other roles.
   */
  | { readonly kind: 'fill'; readonly choice: number; readonly isForAllRoles: boolean }
  /** Finds a screen, field or node by a part of its name; `choice`: the selected match. */
  | { readonly kind: 'palette'; readonly editor: TextFieldState; readonly choice: number }
  /** The keys move the selection in the sidebar: `row`. The screen stays as it is. */
  | { readonly kind: 'sidebar'; readonly row: number }
  /**
   * From the rehearsal to the real installation, whose directory is typed. `refusal`: why the last directory was
   * rejected.
   */
  | { readonly kind: 'install'; readonly editor: TextFieldState; readonly refusal: string | null }
  /**
   * A page that the user requested; `page` is null until it is ready. `isPending`: it shows what is known until then.
   * `isRevealed`: the user showed its secret.
   */
  | {
      readonly kind: 'page';
      readonly subject: string;
      readonly page: Page | null;
      readonly top: number;
      readonly isRevealed?: true;
      readonly isPending?: true;
    }
  | null;

/** Whether an overlay is a yes-or-no question: the keys of its answers close it. */
export const isQuestionOverlay = (overlay: Overlay): boolean =>
  overlay?.kind === 'quit' || overlay?.kind === 'unsaved' || overlay?.kind === 'example-site';

/** An overlay before a change, and whether the change was one typed letter. */
export interface OverlayUndoEntry {
  readonly overlay: NonNullable<Overlay>;
  readonly isLetter: boolean;
}

/** Whether the page about the time since the user left is open: no key of a page opens it. */
export function isWelcomeBackPage({ overlay }: { readonly overlay: Overlay | null }): boolean {
  return overlay?.kind === 'page' && overlay.subject === '';
}
