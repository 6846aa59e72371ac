/** The colours that a terminal can draw. */
export type ColourDepth = '16' | '256' | 'truecolor';

/** The brightness of the terminal's background. */
export type Background = 'dark' | 'light';

/** A theme: the parameters of SGR ("select graphic rendition", ECMA-48) for each token. */
export type Theme = Readonly<
  Record<'accent' | 'ok' | 'warn' | 'error' | 'info' | 'muted' | 'border' | 'selection', string>
>;

/** Formats a foreground as `38;2;R;G;B`. */
const formatForeground = (hex: string) => `38;2;${formatRgb(hex)}`;
const formatRgb = (hex: string) => [0, 2, 4].map((start) => Number.parseInt(hex.slice(start, start + 2), 16)).join(';');

/**
 * Every foreground except the border has a contrast of at least 4.5 on usual backgrounds and on its selection. With 16
 * colours the terminal decides, so a selected row has one text colour.
 */
const THEMES: Readonly<Record<Background, Readonly<Record<ColourDepth, Theme>>>> = {
  dark: {
    truecolor: {
      accent: formatForeground('6cb6ff'),
      ok: formatForeground('7bc77e'),
      warn: formatForeground('e0b060'),
      error: formatForeground('ff8a80'),
      info: formatForeground('8fd0d8'),
      muted: formatForeground('a0a9b4'),
      border: formatForeground('59626d'),
      selection: `48;2;${formatRgb('2b3a4e')}`,
    },
    256: {
      accent: '38;5;75',
      ok: '38;5;114',
      warn: '38;5;179',
      error: '38;5;210',
      info: '38;5;116',
      muted: '38;5;248',
      border: '38;5;241',
      selection: '48;5;237',
    },
    16: { accent: '36', ok: '32', warn: '33', error: '31', info: '36', muted: '2', border: '2', selection: '44' },
  },
  light: {
    truecolor: {
      accent: formatForeground('0550ae'),
      ok: formatForeground('116329'),
      warn: formatForeground('7d4e00'),
      error: formatForeground('a40e26'),
      info: formatForeground('0b5d68'),
      muted: formatForeground('57606a'),
      border: formatForeground('a3adb8'),
      selection: `48;2;${formatRgb('d5e5fa')}`,
    },
    256: {
      accent: '38;5;25',
      ok: '38;5;22',
      warn: '38;5;58',
      error: '38;5;124',
      info: '38;5;23',
      muted: '38;5;240',
      border: '38;5;248',
      selection: '48;5;189',
    },
    16: { accent: '34', ok: '32', warn: '35', error: '31', info: '34', muted: '2', border: '2', selection: '47' },
  },
};

/** Returns the theme of a terminal. */
export const getTheme = (background: Background, depth: ColourDepth): Theme => THEMES[background][depth];
