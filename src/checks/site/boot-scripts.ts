import { ipxe } from '../../artifacts/boot/network-boot.ts';
import { ACCESS_DENIED_SCRIPT_PATH, INSTALLED_SCRIPT_PATH, WEB_ROOT } from '../../artifacts/shared/generator.ts';
import { NO_CREDENTIALS } from '../../design/credentials.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { SiteCheckContext, Verdict } from './site.ts';

const words = () => catalogue().diagnosis.site.details;

/** Scripts that our boot server gives a machine that must not install again. */
const REPLACEMENT_PATHS = [INSTALLED_SCRIPT_PATH, ACCESS_DENIED_SCRIPT_PATH].map((path) => `${WEB_ROOT}${path}`);
/** Commands that load a file or set its URL: if one differs, a machine does not boot as planned. */
const ESSENTIAL_COMMAND = /https?:|\b(?:chain|kernel|initrd|boot|base)\b/;

/**
 * Compares a served script with the generated one; comments and blanks do not count.
 * @param path the path in the URL of the script
 * @returns null if the commands are those of the generated script or of one that may replace it, or if no such script
 *   is generated
 */
export function compareScript({ design, stage, images }: SiteCheckContext, path: string, text: string): Verdict | null {
  const files = ipxe.files({ design, stage, credentials: NO_CREDENTIALS, images, previous: null });
  const plannedFile = files.find((file) => file.path === `${WEB_ROOT}${path}`);
  if (plannedFile === undefined) return null;
  const replacements = files.filter((file) => REPLACEMENT_PATHS.includes(file.path));
  const servedCommands = listCommands(text);
  if (
    [plannedFile, ...replacements].some(({ content }) => joinTexts(listCommands(content)) === joinTexts(servedCommands))
  )
    return null;
  const plannedCommands = listCommands(plannedFile.content);
  const index = servedCommands.findIndex(
    (servedCommand, position) => servedCommand.text !== plannedCommands[position]?.text,
  );
  const firstDifference = index < 0 ? servedCommands.length : index;
  const [actualCommand, plannedText] = [
    servedCommands[firstDifference],
    plannedCommands[firstDifference]?.text ?? null,
  ];
  const line = actualCommand?.line ?? servedCommands.at(-1)?.line ?? 1;
  const differenceCount =
    Math.max(servedCommands.length, plannedCommands.length) - countEqualCommands(servedCommands, plannedCommands);
  const isEssential = [actualCommand?.text, plannedText].some((commandText) =>
    ESSENTIAL_COMMAND.test(commandText ?? ''),
  );
  return {
    state: 'failed',
    detail: words().changedLines(differenceCount, line, actualCommand?.text ?? null, plannedText),
    severity: isEssential ? 'fatal' : 'warning',
  };
}

interface ScriptCommand {
  readonly line: number;
  readonly text: string;
}

function listCommands(text: string): ScriptCommand[] {
  return text.split('\n').flatMap((rawLine, index) => {
    const command = rawLine.trim().replaceAll(/\s+/g, ' ');
    return command === '' || (command.startsWith('#') && index > 0) ? [] : [{ line: index + 1, text: command }];
  });
}

function joinTexts(commands: readonly ScriptCommand[]): string {
  return commands.map(({ text }) => text).join('\n');
}

function countEqualCommands(
  servedCommands: readonly ScriptCommand[],
  plannedCommands: readonly ScriptCommand[],
): number {
  const remainingTexts = plannedCommands.map(({ text }) => text);
  return servedCommands.filter(({ text }) => {
    const index = remainingTexts.indexOf(text);
    if (index >= 0) remainingTexts.splice(index, 1);
    return index >= 0;
  }).length;
}
