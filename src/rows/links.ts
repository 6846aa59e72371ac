import type { PageRow, Segment } from './page-rows.ts';

/** A URL as it is shown. It contains no control character, and no character at which other programs end a URL. */
const URL_PATTERN = /https?:\/\/[\w.~:/?#@!$&*+,;=%()[\]-]+/g;
/** Punctuation of the sentence around a URL. */
const SENTENCE_END = /[.,;:!?)\]]+$/;
/** The rest of a URL that is longer than a line; it stands alone on the next line. */
const CONTINUATION = /^\s*([\w.~:/?#@!$&*+,;=%()[\]-]+)\s*$/;
const MAX_LENGTH = 500;

/** Returns the URL if a terminal may open it; null otherwise. */
function toLink(text: string): string | null {
  const isValid = text.length <= MAX_LENGTH && URL.canParse(text);
  if (!isValid) return null;
  const { protocol, username, password, hostname } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' && hostname !== '' ? text : null;
}

/**
 * Makes links of the URLs in rows, for terminals that have links; the text stays the same. A URL that fills its row to
 * the right edge continues in the next row, if nothing else is there. A URL that is or may be cut becomes no link.
 * @param columns the width in which the rows were laid out
 * @param mark the sign of a cut text
 */
export function linkUrls(rows: readonly PageRow[], columns: number, mark: string): readonly PageRow[] {
  if (!rows.some(({ segments }) => segments.some(({ text }) => text.includes('://')))) return rows;
  const texts = rows.map(({ segments }) => segments.map(({ text }) => text).join(''));
  const links = new Map<number, { readonly start: number; readonly end: number; readonly link: string }[]>();
  const addLink = (row: number, start: number, end: number, link: string) =>
    links.set(row, [...(links.get(row) ?? []), { start, end, link }]);
  for (const [index, text] of texts.entries()) {
    for (const match of text.matchAll(URL_PATTERN)) {
      const end = match.index + match[0].length;
      const pieces = [{ row: index, start: match.index, end, text: match[0] }];
      if (text.startsWith(mark, end) || hasLink(rows[index], match.index, end)) continue;
      let isCut = false;
      for (
        let nextRow = index + 1;
        end === text.trimEnd().length && reachesRightEdge(pieces, texts, columns);
        nextRow += 1
      ) {
        const [nextText = '', continuation] = CONTINUATION.exec(texts[nextRow] ?? '') ?? [];
        if (continuation === undefined || continuation.includes('://')) {
          // The rest may stand before other words, or below the last row that is shown.
          isCut = texts[nextRow]?.trim() !== '' && continuation === undefined;
          break;
        }
        const start = nextText.indexOf(continuation);
        pieces.push({ row: nextRow, start, end: start + continuation.length, text: continuation });
      }
      const shownAddress = pieces.map((piece) => piece.text).join('');
      const address = shownAddress.replace(SENTENCE_END, '');
      const link = isCut || shownAddress.includes(mark) ? null : toLink(address);
      if (link === null) continue;
      let remainingLength = address.length;
      for (const piece of pieces) {
        const length = Math.min(remainingLength, piece.end - piece.start);
        if (length > 0) addLink(piece.row, piece.start, piece.start + length, link);
        remainingLength -= length;
      }
    }
  }
  return rows.map((row, index) => {
    const rowLinks = links.get(index);
    return rowLinks === undefined ? row : { ...row, segments: splitSegments(row.segments, rowLinks) };
  });
}

/** Whether a part of this range is a link already, made when its column was laid out. */
function hasLink(row: PageRow | undefined, start: number, end: number): boolean {
  let position = 0;
  return (row?.segments ?? []).some(({ text, link }) => {
    const segmentStart = position;
    position += text.length;
    return link !== undefined && segmentStart < end && position > start;
  });
}

/** Whether the last piece reaches the right edge. A shorter piece is the end of its URL. */
function reachesRightEdge(
  pieces: readonly { readonly row: number; readonly end: number }[],
  texts: readonly string[],
  columns: number,
): boolean {
  const lastPiece = pieces.at(-1);
  // Wrapping may leave the last cell free.
  return (
    lastPiece !== undefined &&
    lastPiece.end === (texts[lastPiece.row] ?? '').trimEnd().length &&
    lastPiece.end >= columns - 1
  );
}

function splitSegments(
  segments: readonly Segment[],
  links: readonly { readonly start: number; readonly end: number; readonly link: string }[],
): Segment[] {
  let position = 0;
  return segments.flatMap((segment) => {
    const segmentStart = position;
    position += segment.text.length;
    const segmentLinks = links.filter(({ start, end }) => start < position && end > segmentStart);
    const cuts = [
      0,
      ...segmentLinks.flatMap(({ start, end }) => [start - segmentStart, end - segmentStart]),
      segment.text.length,
    ];
    return cuts.slice(1).flatMap((cut, index) => {
      const pieceStart = Math.max(0, cuts[index] ?? 0);
      const text = segment.text.slice(pieceStart, Math.max(pieceStart, cut));
      const link = segmentLinks.find(
        ({ start, end }) => start - segmentStart <= pieceStart && pieceStart < end - segmentStart,
      )?.link;
      return text === '' ? [] : [link === undefined ? { ...segment, text } : { ...segment, text, link }];
    });
  });
}
