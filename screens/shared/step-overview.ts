import { catalogue } from '../../src/i18n/catalogue.ts';
import { fitToWidth, getDisplayWidth, wrapLines } from '../../src/platform/text.ts';
import { joinColumns } from '../../src/rows/list-page.ts';
import { createRow, EMPTY_ROW, fitRows, type PageRow, type Tone, type Viewport } from '../../src/rows/page-rows.ts';
import { isStep, SCREEN_IDS, type ScreenId } from '../../src/wizard/state.ts';

/** Columns that the page beside the overview keeps: those of an 80-column terminal. */
const MIN_PAGE_COLUMNS = 78;
/** Columns of the overview: those of names and figures, and with sentences the minimum and maximum for reading. */
const FIGURE_COLUMNS = 34;
const MIN_SENTENCE_COLUMNS = 60;
const MAX_SENTENCE_COLUMNS = 84;
/** A vertical bar between spaces. */
const SEPARATOR_COLUMNS = 3;

const words = () => catalogue().screens.welcome.overview;

/** A step of the overview: what happens in it, and how long it usually takes, in a sentence and as a figure. */
interface OverviewEntry {
  readonly name: string;
  readonly purpose: string;
  readonly duration: string;
  readonly durationFigure: string;
}

/** Lists the pages with answers as one entry, and then each step. */
function listEntries(screens: readonly ScreenId[]): readonly OverviewEntry[] {
  const { screens: pages, steps, stepHelp } = catalogue();
  const pageNames = screens.filter((id) => id !== 'welcome' && !isStep(id)).map((id) => pages.sidebar[id]);
  const design = {
    name: pages.groups.design,
    purpose: words().design(pageNames.join(', ')),
    duration: words().designDuration,
    durationFigure: words().designDurationFigure,
  };
  return [
    ...(pageNames.length > 0 ? [design] : []),
    ...screens.filter(isStep).map((id) => ({
      name: pages.sidebar[id],
      // The intro of Hosts refers to the list on its page.
      purpose: id === 'hosts' ? words().hosts : steps.intros[id],
      duration: stepHelp.steps[id].duration,
      durationFigure: stepHelp.steps[id].durationFigure,
    })),
  ];
}

/**
 * Adds the steps of an installation with their usual times at the right of a page, if a wide terminal has space. With
 * fewer columns or rows, a figure stands for the sentences.
 *
 *     │ The steps, and how long they usually take
 *     │
 *     │ Generate      Everything the service hosts and the nodes need, generated from …
 *     │               Seconds.
 */
export function withStepOverview(
  viewport: Viewport,
  drawPage: (viewport: Viewport) => readonly PageRow[],
  screens: readonly ScreenId[] = SCREEN_IDS,
): readonly PageRow[] {
  const freeColumns = viewport.columns - SEPARATOR_COLUMNS - MIN_PAGE_COLUMNS;
  const entries = listEntries(screens);
  const overview = [
    { columns: Math.min(MAX_SENTENCE_COLUMNS, freeColumns), minColumns: MIN_SENTENCE_COLUMNS, isFull: true },
    { columns: FIGURE_COLUMNS, minColumns: FIGURE_COLUMNS, isFull: false },
  ]
    .filter(({ minColumns }) => freeColumns >= minColumns)
    .map(({ columns, isFull }) => ({ columns, rows: overviewRows(entries, columns, isFull) }))
    .find(({ rows }) => rows.length <= viewport.rows);
  if (overview === undefined) return drawPage(viewport);
  const page = { ...viewport, columns: viewport.columns - overview.columns - SEPARATOR_COLUMNS };
  return joinColumns(fitRows(drawPage(page), viewport.rows), page, overview.rows);
}

function overviewRows(entries: readonly OverviewEntry[], columns: number, isFull: boolean): readonly PageRow[] {
  const nameColumns = Math.max(...entries.map(({ name }) => getDisplayWidth(name))) + 2;
  const indent = { text: ' '.repeat(nameColumns) };
  return [
    ...wrapLines(words().title, columns).map((line) => createRow(line, 'text', true)),
    EMPTY_ROW,
    ...entries.flatMap(({ name, purpose, duration, durationFigure }) => {
      const wrap = (text: string, tone: Tone) =>
        wrapLines(text, columns - nameColumns).map((line) => ({ text: line, tone }));
      const lines = isFull ? [...wrap(purpose, 'text'), ...wrap(duration, 'muted')] : wrap(durationFigure, 'text');
      const head = { text: fitToWidth(name, nameColumns, ''), tone: 'accent' as const };
      return lines.map((line, index): PageRow => ({ segments: [index === 0 ? head : indent, line] }));
    }),
  ];
}
