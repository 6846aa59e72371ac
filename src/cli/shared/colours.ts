import { sanitizeLine } from '../../platform/sanitize.ts';
import { takeOption } from '../../platform/take-option.ts';
import { getDisplayWidth, truncate } from '../../platform/text.ts';
import { getTheme, type Theme } from '../../platform/theme.ts';
import { detectCapabilities } from '../../terminal/capabilities.ts';
import { detectBackground } from '../../terminal/terminal-reports.ts';

/** When the output has colours. */
export const COLOUR_CHOICES = ['auto', 'always', 'never'] as const;
type ColourChoice = (typeof COLOUR_CHOICES)[number];

type Environment = Readonly<Record<string, string | undefined>>;

/** A part of a line in the colour of a token, as on the screens. */
export interface Span {
  readonly text: string;
  readonly token?: keyof Theme;
  readonly isBold?: boolean;
}

/** A line without its newline. */
export type StyledLine = readonly Span[];

/**
 * Takes `--color WHEN` out of the arguments of any command; the last one counts.
 * @returns `unknownChoice`: the value of the option if it is none of the choices
 */
export function takeColourOption(argv: readonly string[]): {
  readonly argv: readonly string[];
  readonly choice: ColourChoice;
  readonly unknownChoice: string | null;
} {
  const { argv: otherArgs, value = 'auto' } = takeOption(argv, '--color');
  const choice = COLOUR_CHOICES.find((colourChoice) => colourChoice === value);
  return { argv: otherArgs, choice: choice ?? 'auto', unknownChoice: choice === undefined ? value : null };
}

/** Sets the variables of the environment to the choice of the user, so that screens and child processes follow it. */
export function applyColourChoice(choice: ColourChoice, env: Record<string, string | undefined>): void {
  if (choice === 'auto') return;
  if (choice === 'never') {
    env.NO_COLOR = '1';
    delete env.FORCE_COLOR;
  } else {
    delete env.NO_COLOR;
    env.FORCE_COLOR = '1';
  }
}

/** Detects the theme for the output of a command. Null if the output has no colours, for example in a pipe. */
export function detectOutputTheme(env: Environment, stdout: { readonly isTTY?: boolean }): Theme | null {
  const isForced = (env.FORCE_COLOR ?? '') !== '' && env.FORCE_COLOR !== '0';
  // Only standard output matters here: a command may read its input from a pipe.
  const { hasColour, depth } = detectCapabilities(env, { isTTY: true }, stdout);
  if (env.NO_COLOR || !(isForced || hasColour)) return null;
  return getTheme(detectBackground(env), depth);
}

/** Formats a line with the escape sequences of a theme. Sequences in the text itself are removed. */
export function formatStyledLine(line: StyledLine, theme: Theme | null): string {
  return line
    .map(({ text, token, isBold = false }) => {
      const safeText = sanitizeLine(text, Number.POSITIVE_INFINITY);
      const parameters = [...(isBold ? ['1'] : []), ...(token === undefined || theme === null ? [] : [theme[token]])];
      return theme === null || parameters.length === 0 || safeText === ''
        ? safeText
        : `\u001b[${parameters.join(';')}m${safeText}\u001b[0m`;
    })
    .join('')
    .trimEnd();
}

/** Truncates a line to `columns`, with an ellipsis if it was longer. */
export function truncateStyledLine(line: StyledLine, columns: number): StyledLine {
  const visibleSpans: Span[] = [];
  let freeColumns = columns;
  for (const span of line) {
    const width = getDisplayWidth(span.text);
    if (width > freeColumns) {
      visibleSpans.push({ ...span, text: truncate(`${span.text} `, freeColumns, '…') });
      return visibleSpans;
    }
    visibleSpans.push(span);
    freeColumns -= width;
  }
  return visibleSpans;
}
