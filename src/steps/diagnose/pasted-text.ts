import type { EvidenceLine } from '../../checks/rules/evidence.ts';
import type { ArchiveFile } from '../../host/tar.ts';
import { parseLogLine } from '../../installer/log.ts';
import { getString } from '../../openshift/object.ts';
import { parseSafely } from '../../openshift/safe-json.ts';
import { openPlainFile } from '../../platform/files.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { redact } from '../../platform/secrets.ts';
import { parseJournalLines } from './log-lines.ts';

/** Maximum bytes read from a file; of a longer file, only the end is read. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Maximum number of lines: more than a user pastes or a console keeps. */
const MAX_LINES = 20_000;
const MAX_LINE_LENGTH = 600;

/**
 * Reads a text file: a pasted journal, or a console that was saved.
 * @returns null if the file is empty or holds no text
 * @throws the system's error for a file that cannot be read
 */
export async function readTextFile(file: string): Promise<ArchiveFile | null> {
  await using handle = await openPlainFile(file);
  const { size, mtimeMs } = await handle.stat();
  const buffer = Buffer.alloc(Math.min(size, MAX_BYTES));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, size - buffer.length);
  const content = buffer.subarray(0, bytesRead);
  if (content.includes(0) || content.toString('utf8').trim() === '') return null;
  const name = file.split('/').at(-1) ?? file;
  return { path: name, content, isComplete: size <= MAX_BYTES, modifiedAt: mtimeMs };
}

/** Whether a text contains objects as `oc get -o json` or `-o yaml` prints them. */
export function isObjectText(content: Buffer): boolean {
  return /^\s*(?:\{\s*"(?:apiVersion|items|kind)"|(?:---\s*\n)?apiVersion:\s)/.test(content.toString('utf8', 0, 4096));
}

/** A line of openshift-install, as in its log file or on a terminal. */
const INSTALLER_LINE = /^(?:time="[^"]*" level=|(?:DEBUG|INFO|WARNING|ERROR|FATAL)(?:\[\d+\])? )/;

/**
 * Extracts the lines of a text that the user chose: all of them count, whatever their age.
 * @param name the source of lines that name no program
 * @param now ms: a time without its year is of the last twelve months
 */
export function extractPastedLines(text: string, name: string, now: number): EvidenceLine[] {
  const lines = text.split(/\r?\n|\r/).slice(-MAX_LINES);
  return lines.flatMap((line) => {
    if (INSTALLER_LINE.test(line)) return parseInstallerLine(line);
    return parseJsonLine(line) ?? parseJournalLines(line, null, now, { source: name });
  });
}

/** Parses a line of `journalctl -o json`; null for any other line. */
function parseJsonLine(line: string): EvidenceLine[] | null {
  if (!/^\{.*"MESSAGE"\s*:/.test(line)) return null;
  try {
    const entry: unknown = parseSafely(line);
    const getEntryField = (key: string) => getString(entry, key) ?? '';
    const host = getEntryField('_HOSTNAME').split('.')[0] ?? '';
    const at = Number(getEntryField('__REALTIME_TIMESTAMP')) / 1000;
    return [
      {
        source: sanitizeLine(getEntryField('SYSLOG_IDENTIFIER') || getEntryField('_SYSTEMD_UNIT'), 80),
        host: host === '' ? null : sanitizeLine(host, 80),
        text: sanitizeLine(redact(getEntryField('MESSAGE')), MAX_LINE_LENGTH),
        at: at > 0 ? at : null,
      },
    ];
  } catch {
    return null;
  }
}

function parseInstallerLine(line: string): EvidenceLine[] {
  const { at, level, text } = parseLogLine(line);
  if (level === 'debug' && !/^Still waiting for /.test(text)) return [];
  const safeText = sanitizeLine(text.replaceAll('\n', ' '), MAX_LINE_LENGTH);
  return [{ source: 'openshift-install', host: null, text: safeText, at }];
}

const SECTION_HEAD = /^\s*(?:global|defaults|(?:frontend|backend|listen)\s+[\w.:-]+)\s*$/;
const MEMBER = /^\s*server\s+\S+\s+\S+:\d+/;

/**
 * Extracts a haproxy.cfg from a text, with its sections as HAProxy's own files indent them.
 * @returns null if the text holds none: no section with a member
 */
export function extractHaproxyConfig(text: string): string | null {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => SECTION_HEAD.test(line));
  const configLines = start === -1 ? [] : lines.slice(start);
  if (!configLines.some((line) => MEMBER.test(line))) return null;
  return configLines.map((line) => (SECTION_HEAD.test(line) ? line.trim() : `    ${line.trim()}`)).join('\n');
}
