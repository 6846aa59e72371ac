import { catalogue } from '../../src/i18n/catalogue.ts';
import { openPlainFrontEnd } from '../../src/plain/plain-front-end.ts';
import type { ScreenEntry, ScreenTextModel } from '../../src/plain/screen-text-model.ts';
import { linkUrls } from '../../src/rows/links.ts';
import { MIN_COLUMNS_BESIDE } from '../../src/rows/list-page.ts';
import { getGlyphs, getRowText, type PageRow, type Viewport } from '../../src/rows/page-rows.ts';
import { writeRanges } from '../../src/rows/scroll.ts';
import { FILL_KINDS, readNodeDrafts } from '../../src/wizard/design/node-table.ts';
import type { FrontEndOpener } from '../../src/wizard/front-end.ts';
import { getOpenPrompt } from '../../src/wizard/live/step-run.ts';
import { isQuestionOverlay } from '../../src/wizard/overlays/overlay.ts';
import { listImportModes } from '../../src/wizard/overlays/update-import.ts';
import { sanitizeState } from '../../src/wizard/sanitize-state.ts';
import { isStep, type WizardState } from '../../src/wizard/state.ts';
import { getPageHelp, listTerms } from '../shared/aside.ts';
import { createFillItem } from '../shared/overlays/fill-overlay.ts';
import { renderChanges } from '../shared/step/changes.ts';
import { bodyRows, getActiveBindings, SCREENS } from './app.ts';

/** Opens the line-by-line front end, which prints the texts of the pages and lists their actions. */
export const openPlain: FrontEndOpener = () => openPlainFrontEnd(createScreenTextModel);

const words = () => catalogue().plain;

const MAX_PAGE_ROWS = 60;
/** Rows of a question. It is printed whole, because one yes starts everything that it shows. */
const QUESTION_ROWS = 1_000_000;

/**
 * Creates the text model of the screens.
 * @param columns the width of tables and diagrams
 */
export function createScreenTextModel(columns: number): ScreenTextModel {
  const createViewport = (state: WizardState): Viewport => ({
    columns,
    rows: hasOpenQuestion(state) ? QUESTION_ROWS : MAX_PAGE_ROWS + readNodeDrafts(state.document).length,
    // As in a narrow window: text beside a page would be printed on the same lines as the page.
    terminalColumns: Math.min(columns, MIN_COLUMNS_BESIDE - 1),
    hasUnicode: false,
    canAnimate: false,
  });
  const text = (state: WizardState) => renderText(state, createViewport(state));
  return {
    title: ({ screen }) => catalogue().screens.sidebar[screen],
    intro(state) {
      const { intro, help } = SCREENS[state.screen];
      return intro?.(state, () => text(state)) ?? help(state).slice(0, 1);
    },
    choices: (state) => getActiveBindings(state, createViewport(state)),
    entries: listEntries,
    help: (state) =>
      [...getPageHelp(SCREENS[state.screen], state), ...listTerms(SCREENS[state.screen], state)].filter(
        (line) => line !== '',
      ),
    rows: (state) => bodyRows(sanitizeState(state), createViewport(state), ''),
    text,
    doneText: (state) => SCREENS[state.screen].doneText?.(state) ?? [],
    log(state) {
      const { openLog } = SCREENS[state.screen];
      return openLog === undefined ? null : () => text(openLog(state));
    },
    changes: (state) =>
      isStep(state.screen)
        ? renderChanges(state.runs[state.screen].plan?.changes ?? []).map(({ text, fileLine }) =>
            fileLine ? words().command(fileLine) : text,
          )
        : [],
  };
}

function listEntries(state: WizardState): readonly ScreenEntry[] {
  const { overlay } = state;
  if (overlay === null) return SCREENS[state.screen].entries?.(state) ?? [];
  if (overlay.kind === 'fill') {
    const { otherRoles, sameRole } = catalogue().screens.nodes.fill;
    const fillEntries = FILL_KINDS.map((fill, index): ScreenEntry => {
      const { label, hint } = createFillItem(state, fill, overlay.isForAllRoles);
      return {
        label: `${label}: ${hint}`,
        intents: [{ type: 'node/fill-move', by: index - overlay.choice }, { type: 'node/fill' }],
      };
    });
    return [
      ...fillEntries,
      { label: overlay.isForAllRoles ? sameRole : otherRoles, intents: [{ type: 'node/fill-across' }] },
    ];
  }
  if (overlay.kind !== 'import' || overlay.importState.phase !== 'offered') return [];
  const { offer, choice } = overlay.importState;
  const { modes, modeHints } = catalogue().imports.screen;
  const hints = modeHints(catalogue().plain.inputCommands.undo);
  const entries = listImportModes(offer).map(
    (mode, index): ScreenEntry => ({
      label: `${modes[mode]}: ${hints[mode]}`,
      intents: [{ type: 'import/move', by: index - choice }, { type: 'import/enter' }],
    }),
  );
  // Enter takes the first entry in plain mode, and the selected one on full screens: so the selected entry comes first.
  return [...entries.slice(choice, choice + 1), ...entries.filter((_, index) => index !== choice)];
}

/** Returns the text of the screen. Drops the last line of a question, which explains the keys of full screens. */
function renderText(state: WizardState, viewport: Viewport): readonly string[] {
  // Plain lines have no scroll bar: labels name the range of a longer text that is printed.
  const allRows = bodyRows(sanitizeState(state), viewport, '');
  // The choices of an overlay are left out here: plain mode prints them as numbered entries below the text.
  const shownRows =
    state.overlay !== null && listEntries(state).length > 0
      ? allRows.filter(({ item }) => item === undefined)
      : allRows;
  const { rows, remainingLabels } = writeRanges(shownRows, viewport.columns);
  const rowTexts = joinUrls(rows, viewport).flatMap((row) =>
    row.fileLine === null ? [] : row.fileLine ? [words().command(row.fileLine)] : removeTreeLines(getRowText(row)),
  );
  const lines = [...rowTexts, ...remainingLabels];
  const collapsedLines = lines.filter((line, index) => line !== '' || (lines[index - 1] ?? '') !== '');
  const trimmedLines = collapsedLines.slice(0, collapsedLines.findLastIndex((line) => line !== '') + 1);
  return hasOpenQuestion(state) ? trimmedLines.slice(0, -1) : trimmedLines;
}

/** Removes the lines of a tree, which are noise when read aloud. The indentation still shows what belongs together. */
function removeTreeLines(text: string): readonly string[] {
  return /^ *\|$/.test(text) ? [] : [text.replace(/^( *)(?:\|--|'--) /, '$1').replace(/ ={3,}$/, '')];
}

/** Joins the rows of each URL that is longer than a row: in parts it can be neither read aloud nor copied. */
function joinUrls(rows: readonly PageRow[], viewport: Viewport): readonly PageRow[] {
  const joinedRows: PageRow[] = [];
  for (const row of linkUrls(rows, viewport.columns, getGlyphs(viewport).ellipsis)) {
    const segments = row.segments.slice(row.segments.findIndex(({ text }) => text.trim() !== ''));
    const previousRow = joinedRows.at(-1);
    const link = previousRow?.segments.findLast(({ text }) => text.trim() !== '')?.link;
    const [firstSegment] = segments;
    const isContinued = link !== undefined && firstSegment?.link === link && !link.startsWith(firstSegment.text);
    if (previousRow && isContinued)
      joinedRows.splice(-1, 1, { ...previousRow, segments: [...previousRow.segments, ...segments] });
    else joinedRows.push(row);
  }
  return joinedRows;
}

/** Whether the page shows a question: of a step, or in an overlay. */
function hasOpenQuestion({ screen, overlay, runs }: WizardState): boolean {
  return isQuestionOverlay(overlay) || (isStep(screen) && overlay === null && getOpenPrompt(runs[screen]) !== null);
}
