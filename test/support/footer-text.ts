import { type Binding, FOOTER_GAP, listFooterEntries } from '../../src/rows/bindings.ts';

/** Returns the keys of a footer as one line of at most `width` cells. */
export function footerText(bindings: readonly Binding<unknown>[], width: number, mark?: string): string {
  return listFooterEntries(bindings, width, mark, mark === '...' ? '' : '↑↓')
    .map(({ key, label }) => (key === null ? label : `${key} ${label}`))
    .join(FOOTER_GAP);
}
