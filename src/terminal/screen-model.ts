import { getDisplayWidth, splitGraphemes } from '../platform/text.ts';

/** How a cell looks: the parameters of its SGR sequence, and the address of its link. */
interface CellStyle {
  readonly sgr: string;
  readonly link: string;
}

/** A cell. The second cell of a wide character has no text; null is a cell whose content is not known. */
interface Cell {
  readonly text: string | null;
  readonly style: CellStyle;
}

const PLAIN_STYLE: CellStyle = { sgr: '', link: '' };
const BLANK_CELL: Cell = { text: ' ', style: PLAIN_STYLE };
const UNKNOWN_CELL: Cell = { text: null, style: PLAIN_STYLE };
const ESC = '\u001b';
const ENTER_ALTERNATE_SCREEN = `${ESC}[?1049h`;

/** A control sequence (CSI), a control string (OSC), a line end, or text up to the next of them. */
const TOKEN =
  /\u001b\[([?<>=]?)([\d;:]*)([@-~])|\u001b\]([^\u0007\u001b]*)(?:\u0007|\u001b\\)|[\r\n]|\u001b[^[\]]|[^\u001b\r\n]+/g;

/** Maps the SGR parameter that ends an attribute to the parameters that set the attribute. */
const ENDED_ATTRIBUTES: Readonly<Record<string, RegExp>> = {
  '22': /^[12]$/,
  '23': /^3$/,
  '24': /^4$/,
  '27': /^7$/,
  '29': /^9$/,
  '39': /^(?:3[0-8]|9\d)(?:;|$)/,
  '49': /^(?:4[0-8]|10\d)(?:;|$)/,
};

/** Applies an SGR sequence to a style: a later colour replaces an earlier one. */
function applySgr(sgr: string, parameters: string): string {
  let attributes = sgr === '' ? [] : splitSgr(sgr);
  for (const parameter of splitSgr(parameters === '' ? '0' : parameters)) {
    if (parameter === '0' || parameter === '') {
      attributes = [];
      continue;
    }
    const endedPattern = ENDED_ATTRIBUTES[parameter];
    const replacedPattern = endedPattern ?? Object.values(ENDED_ATTRIBUTES).find((pattern) => pattern.test(parameter));
    // Bold and dim end together, and do not replace each other.
    attributes = attributes.filter((attribute) =>
      endedPattern || !/^[12]$/.test(parameter) ? !replacedPattern?.test(attribute) : attribute !== parameter,
    );
    if (endedPattern === undefined) attributes.push(parameter);
  }
  return attributes.join(';');
}

/** Splits SGR parameters, and keeps those of one colour together (`38;5;12`, `48;2;1;2;3`). */
function splitSgr(parameters: string): string[] {
  return parameters.match(/[34]8;5;\d+|[34]8;2;\d+;\d+;\d+|\d+/g) ?? ['0'];
}

/**
 * A model of the cells that a terminal shows, and of those that it should show. `feed` interprets the output of Ink.
 * `flush` returns the sequences that update the terminal: they write only the runs of cells that changed. The sequences
 * may be cut at any byte: each row is then old or new, apart from the run that is being written. Blanks stand in that
 * run for cells that are missing, so two values never mix.
 */
export class ScreenModel {
  #shownGrid: Cell[][] = [];
  #targetGrid: Cell[][] = [];
  #columns: number;
  #rows: number;
  #x = 0;
  #y = 0;
  #style = PLAIN_STYLE;
  #shouldShowCursor = true;
  #isCursorShown = true;
  #lastCursorSequence = '';
  readonly #dirtyRows = new Set<number>();
  readonly #styles = new Map<string, CellStyle>();
  /** Output since the last flush that changes no cell. */
  #passThroughOutput = '';
  /** Outside of the alternate screen everything is passed on: other programs write there, too. */
  #isPassingThrough = true;

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.#rows = rows;
    this.reset();
  }

  /** Forgets everything: the terminal has been cleared, and its cursor is in its first cell. */
  reset(initialCell: Cell = BLANK_CELL): void {
    this.#shownGrid = this.#createGrid(initialCell);
    this.#targetGrid = this.#createGrid(BLANK_CELL);
    this.#dirtyRows.clear();
    if (initialCell === UNKNOWN_CELL) for (let y = 0; y < this.#rows; y += 1) this.#dirtyRows.add(y);
    this.#x = 0;
    this.#y = 0;
    this.#style = PLAIN_STYLE;
    this.#lastCursorSequence = '';
  }

  /** Changes the size. The content of the terminal is unknown then, so the terminal is cleared. */
  resize(columns: number, rows: number): void {
    if (columns === this.#columns && rows === this.#rows) return;
    this.#columns = columns;
    this.#rows = rows;
    const [x, y, style, target] = [this.#x, this.#y, this.#style, this.#targetGrid];
    this.reset();
    for (const [row, cells] of target.slice(0, rows).entries()) {
      this.#targetGrid[row] = Array.from({ length: columns }, (_, column) => cells[column] ?? BLANK_CELL);
      this.#dirtyRows.add(row);
    }
    if (!this.#isPassingThrough) this.#passThroughOutput += `${ESC}[2J`;
    [this.#x, this.#y, this.#style] = [Math.min(x, columns - 1), Math.min(y, rows - 1), style];
  }

  /** Interprets output; sequences that change no cell are passed on. */
  feed(data: string): void {
    for (const match of data.matchAll(TOKEN)) {
      const [token, prefix, parameters = '', finalByte, controlString] = match;
      if (this.#isPassingThrough && !/^\u001b\[\?(?:1049|25)[hl]$/.test(token)) this.#passThroughOutput += token;
      else if (finalByte !== undefined) this.#handleControlSequence(token, prefix ?? '', parameters, finalByte);
      else if (controlString !== undefined) this.#handleControlString(token, controlString);
      else if (token === '\n') this.#lineFeed();
      else if (token === '\r') this.#x = 0;
      else if (token.startsWith(ESC)) this.#passThroughOutput += token;
      else this.#write(token);
    }
  }

  /** Returns the output that brings the terminal up to date with all that was fed. */
  flush(): string {
    let output = this.#passThroughOutput;
    this.#passThroughOutput = '';
    if (this.#isPassingThrough) return output;
    const changes = [...this.#dirtyRows]
      .sort((a, b) => a - b)
      .map((y) => this.#drawRow(y))
      .join('');
    this.#dirtyRows.clear();
    const cursorSequence = this.#shouldShowCursor
      ? `${ESC}[${this.#y + 1};${Math.min(this.#x + 1, this.#columns)}H`
      : '';
    if (changes !== '' && this.#isCursorShown) output += `${ESC}[?25l`;
    output += changes;
    const mustHide = !this.#shouldShowCursor && this.#isCursorShown && changes === '';
    const mustShow = this.#shouldShowCursor && (!this.#isCursorShown || changes !== '');
    if (mustHide) output += `${ESC}[?25l`;
    if (this.#shouldShowCursor && (mustShow || cursorSequence !== this.#lastCursorSequence)) output += cursorSequence;
    if (mustShow) output += `${ESC}[?25h`;
    this.#isCursorShown = this.#shouldShowCursor;
    this.#lastCursorSequence = cursorSequence;
    return output;
  }

  #createGrid(cell: Cell): Cell[][] {
    return Array.from({ length: this.#rows }, () => Array.from({ length: this.#columns }, () => cell));
  }

  #handleControlSequence(token: string, prefix: string, parameters: string, finalByte: string): void {
    if (prefix !== '') {
      this.#setMode(token, prefix, parameters, finalByte);
      return;
    }
    const [firstParameter = 0, secondParameter = 0] = parameters.split(';').map(Number);
    const count = Math.max(1, firstParameter);
    switch (finalByte) {
      case 'm':
        this.#setStyle({ ...this.#style, sgr: applySgr(this.#style.sgr, parameters) });
        return;
      case 'A':
        this.#y = Math.max(0, this.#y - count);
        return;
      case 'B':
        this.#y = Math.min(this.#rows - 1, this.#y + count);
        return;
      case 'C':
        this.#x = Math.min(this.#columns - 1, this.#x + count);
        return;
      case 'D':
        this.#x = Math.max(0, Math.min(this.#x, this.#columns - 1) - count);
        return;
      case 'E':
        this.#y = Math.min(this.#rows - 1, this.#y + count);
        this.#x = 0;
        return;
      case 'G':
        this.#x = Math.min(this.#columns, count) - 1;
        return;
      case 'H':
        this.#y = Math.min(this.#rows, count) - 1;
        this.#x = Math.min(this.#columns, Math.max(1, secondParameter)) - 1;
        return;
      case 'K':
        this.#erase(this.#y, firstParameter === 0 ? this.#x : 0, firstParameter === 1 ? this.#x + 1 : this.#columns);
        return;
      case 'J':
        if (firstParameter === 0) this.#erase(this.#y, this.#x, this.#columns);
        for (let y = firstParameter === 0 ? this.#y + 1 : 0; y < this.#rows; y += 1) this.#erase(y, 0, this.#columns);
        return;
      default:
        this.#passThroughOutput += token;
    }
  }

  #setMode(token: string, prefix: string, parameters: string, finalByte: string): void {
    const isOn = finalByte === 'h';
    // The alternate screen is active already: it may show a first frame, which Ink draws again.
    if (token === ENTER_ALTERNATE_SCREEN && !this.#isPassingThrough) {
      [this.#x, this.#y] = [0, 0];
      return;
    }
    const isAlternateScreen = prefix === '?' && parameters === '1049';
    // After a resize, tmux shows rows of the alternate screen on the main screen, unless they are blank.
    if (isAlternateScreen && !isOn && !this.#isPassingThrough) this.#passThroughOutput += `${ESC}[2J`;
    const isCursor = prefix === '?' && parameters === '25';
    if (isCursor) this.#shouldShowCursor = isOn;
    if (isCursor && this.#isPassingThrough) this.#isCursorShown = isOn;
    if (!isCursor || this.#isPassingThrough) this.#passThroughOutput += token;
    // The content of the alternate screen is not known.
    if (isAlternateScreen) {
      this.reset(UNKNOWN_CELL);
      this.#isPassingThrough = !isOn;
    }
  }

  #handleControlString(token: string, controlString: string): void {
    const link = /^8;[^;]*;(.*)$/.exec(controlString)?.[1];
    if (link === undefined) this.#passThroughOutput += token;
    else this.#setStyle({ ...this.#style, link });
  }

  #setStyle({ sgr, link }: CellStyle): void {
    const key = `${sgr} ${link}`;
    const style = this.#styles.get(key) ?? { sgr, link };
    this.#styles.set(key, style);
    this.#style = sgr === '' && link === '' ? PLAIN_STYLE : style;
  }

  #lineFeed(): void {
    this.#x = 0;
    if (this.#y < this.#rows - 1) {
      this.#y += 1;
      return;
    }
    this.#targetGrid = [...this.#targetGrid.slice(1), Array.from({ length: this.#columns }, () => BLANK_CELL)];
    for (let y = 0; y < this.#rows; y += 1) this.#dirtyRows.add(y);
  }

  #erase(y: number, start: number, end: number): void {
    this.#targetGrid[y]?.fill(BLANK_CELL, start, end);
    this.#dirtyRows.add(y);
  }

  #write(text: string): void {
    for (const grapheme of splitGraphemes(text)) {
      const width = measureGrapheme(grapheme);
      if (width === 0) continue;
      if (this.#x + width > this.#columns) this.#lineFeed();
      const row = this.#targetGrid[this.#y];
      this.#dirtyRows.add(this.#y);
      if (row === undefined) return;
      const isBlank = grapheme === ' ' && this.#style === PLAIN_STYLE;
      row[this.#x] = isBlank ? BLANK_CELL : { text: grapheme, style: this.#style };
      for (let offset = 1; offset < width; offset += 1) row[this.#x + offset] = { text: '', style: this.#style };
      this.#x += width;
    }
  }

  #drawRow(y: number): string {
    const [shownRow = [], targetRow = []] = [this.#shownGrid[y], this.#targetGrid[y]];
    let output = '';
    for (const { start, end } of findRuns(shownRow, targetRow)) {
      output += drawRun(shownRow, targetRow, y, start, end);
      for (let x = start; x < end; x += 1) shownRow[x] = targetRow[x] ?? BLANK_CELL;
    }
    return output;
  }
}

/** The widths of the characters that are drawn: measuring costs more than everything else here. */
const widths = new Map<string, number>();
const MAX_WIDTHS = 5_000;

function measureGrapheme(grapheme: string): number {
  if (grapheme >= ' ' && grapheme <= '~') return 1;
  const cachedWidth = widths.get(grapheme);
  if (cachedWidth !== undefined) return cachedWidth;
  const width = getDisplayWidth(grapheme);
  if (widths.size < MAX_WIDTHS) widths.set(grapheme, width);
  return width;
}

const areEqualCells = (a: Cell | undefined, b: Cell | undefined) =>
  a === b || (a?.text === b?.text && a?.style.sgr === b?.style.sgr && a?.style.link === b?.style.link);

const isBlankCell = (cell: Cell | undefined) => cell?.text === ' ' && cell.style === PLAIN_STYLE;

/**
 * Whether a terminal may disagree with this model about the width of the character: its row is then drawn as a whole.
 */
const hasUncertainWidth = (cell: Cell | undefined) => (cell?.text?.length ?? 0) > 1;

/**
 * Finds the runs of cells to write. Changes with no gap of two blanks between them are one run: they belong to one
 * value, such as `10:41`. A user must not read half of the old value beside half of the new one.
 */
function findRuns(shownRow: readonly Cell[], target: readonly Cell[]): { start: number; end: number }[] {
  const runs: { start: number; end: number }[] = [];
  let isSeparate = true;
  for (let x = 0; x < target.length; x += 1) {
    const lastRun = runs.at(-1);
    if (!areEqualCells(shownRow[x], target[x])) {
      if (lastRun !== undefined && !isSeparate) lastRun.end = x + 1;
      else runs.push({ start: x, end: x + 1 });
      isSeparate = false;
    } else if (isBlankCell(target[x]) && isBlankCell(target[x - 1]) && isBlankCell(shownRow[x - 1])) isSeparate = true;
  }
  const [firstRun] = runs;
  if (firstRun === undefined) return runs;
  if (shownRow.some(hasUncertainWidth) || target.some(hasUncertainWidth)) return [{ start: 0, end: target.length }];
  for (const run of runs) {
    // A wide character is never split.
    while (run.start > 0 && (shownRow[run.start]?.text === '' || target[run.start]?.text === '')) run.start -= 1;
    while (run.end < target.length && (shownRow[run.end]?.text === '' || target[run.end]?.text === '')) run.end += 1;
  }
  return runs;
}

/**
 * Writes a run. If the text changes in more than one cell, these cells are erased first. A part of the new text thus
 * never stands beside a part of the old text.
 */
function drawRun(shownRow: readonly Cell[], target: readonly Cell[], y: number, start: number, end: number): string {
  const hasOtherText = (cell: Cell, index: number) => cell.text !== shownRow[start + index]?.text;
  const cells = target.slice(start, end);
  const firstIndex = cells.findIndex(hasOtherText);
  const lastIndex = cells.findLastIndex(hasOtherText);
  const length = lastIndex - firstIndex + 1;
  const mustErase = firstIndex >= 0 && (length > 1 || cells.slice(firstIndex).every(isBlankCell));
  // Blanks at the end of the erased cells need not be written.
  const isErasedEnd = mustErase && lastIndex === cells.length - 1;
  const writtenEnd = isErasedEnd
    ? Math.max(firstIndex, cells.findLastIndex((cell) => !isBlankCell(cell)) + 1)
    : cells.length;
  let output = `${ESC}[${y + 1};${start + 1}H`;
  let style = PLAIN_STYLE;
  for (let index = 0; index < Math.max(writtenEnd, mustErase ? firstIndex + 1 : 0); index += 1) {
    if (index === firstIndex && mustErase) {
      output += formatStyleChange(style, PLAIN_STYLE);
      style = PLAIN_STYLE;
      output += isErasedEnd && end === target.length ? `${ESC}[K` : `${ESC}[${length}X`;
    }
    const cell = cells[index];
    if (cell === undefined || index >= writtenEnd) break;
    output += formatStyleChange(style, cell.style);
    style = cell.style;
    output += cell.text ?? ' ';
  }
  return output + formatStyleChange(style, PLAIN_STYLE);
}

function formatStyleChange(oldStyle: CellStyle, newStyle: CellStyle): string {
  if (oldStyle === newStyle) return '';
  const link = oldStyle.link === newStyle.link ? '' : `${ESC}]8;;${newStyle.link}\u0007`;
  if (oldStyle.sgr === newStyle.sgr) return link;
  if (newStyle.sgr === '') return `${link}${ESC}[m`;
  return `${link}${ESC}[${oldStyle.sgr === '' ? '' : ';'}${newStyle.sgr}m`;
}
