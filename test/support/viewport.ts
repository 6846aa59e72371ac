import type { Viewport } from '../../src/rows/page-rows.ts';

/** The part of an 80-column terminal that its frame leaves for a page without the sidebar. */
export const VIEWPORT: Viewport = { columns: 78, rows: 20, terminalColumns: 80, hasUnicode: true, canAnimate: false };
