import { existsSync } from 'node:fs';
import { getAt } from '../design/paths.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { type UserError, UserErrorException } from '../i18n/user-error.ts';
import { formatUtc } from '../platform/clock.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { findEntry } from '../platform/table-lookup.ts';
import { getDisplayWidth } from '../platform/text.ts';
import { findHolder } from '../session/holder-client.ts';
import type { FoundHolder } from '../session/holder-files.ts';
import { describePeer } from '../session/holder-files.ts';
import { type FoundSession, getConfigDirectory, listSessions } from '../session/install-directories.ts';
import { readSession } from '../session/session-file.ts';
import type { SessionState } from '../session/state.ts';
import { workspace } from '../steps/shared/workspace.ts';
import type { Arguments } from './commands.ts';
import { getFurthestScreen } from './session/working-session.ts';
import type { CommandContext } from './shared/context.ts';
import { truncateLine } from './shared/process-io.ts';

const words = () => catalogue().holder.sessions;

/** An installation that was used on this machine. */
interface SessionEntry {
  readonly dir: string;
  readonly savedAt: number;
  /** Null if it cannot be read; `userError` is the reason. */
  readonly state: SessionState | null;
  readonly userError: UserError | null;
  readonly holder: FoundHolder | null;
}

/**
 * `upi-wizard sessions [--json]`: the installations that were used on this machine, the most recent first. Read-only.
 */
export async function sessionsCommand({ options }: Arguments<'sessions'>, { openIo }: CommandContext): Promise<number> {
  const io = await openIo();
  const foundSessions = listSessions(getConfigDirectory({ ...io.env }));
  const entries = await Promise.all(foundSessions.map(readEntry));
  if (options.json) io.stdout(`${JSON.stringify({ sessions: entries.map(toJsonEntry) }, null, 2)}\n`);
  else io.stdout(entries.length === 0 ? `${words().none}\n` : formatEntries(entries, io.columns));
  return 0;
}

async function readEntry({ dir, savedAt }: FoundSession): Promise<SessionEntry> {
  const holder = await findHolder(dir);
  try {
    return { dir, savedAt, state: readSession(dir), userError: null, holder };
  } catch (error) {
    if (!(error instanceof UserErrorException)) throw error;
    return { dir, savedAt, state: null, userError: error.userError, holder };
  }
}

/** Formats `name.baseDomain` as typed so far; empty if neither was typed. */
export function formatClusterName(state: SessionState | null): string {
  const texts = ['cluster.name', 'cluster.baseDomain'].map((path) => getAt(state?.design, path));
  return sanitizeLine(texts.filter((text) => typeof text === 'string').join('.'), 100);
}

/** Whether an installation has reached its report, even if it was left on an earlier screen afterwards. */
export function hasReport(dir: string, state: SessionState): boolean {
  return getFurthestScreen(state) === 'report' && existsSync(workspace(dir).report);
}

function toJsonEntry({ dir, savedAt, state, userError, holder }: SessionEntry) {
  const record = holder?.record ?? null;
  return {
    dir,
    cluster: formatClusterName(state) || null,
    screen: state?.place.screen ?? null,
    savedAt: new Date(savedAt).toISOString(),
    rehearsal: state === null ? null : state.rehearsal !== null,
    heldBy: holder && {
      user: record?.user ?? null,
      from: record?.from ?? null,
      tty: record?.tty ?? null,
      host: record?.host ?? null,
      pid: record?.pid ?? null,
      program: record?.program ?? null,
      since: record ? new Date(record.since).toISOString() : null,
      isSure: holder.liveness === 'alive',
    },
    attention: userError?.code ?? null,
  };
}

/**
 * Formats the sessions. The directory has its own line and is never truncated, because the user copies it into the next
 * command.
 */
function formatEntries(entries: readonly SessionEntry[], columns: number): string {
  return entries
    .map(({ dir, savedAt, state, userError, holder }) => {
      const parts = [
        formatClusterName(state),
        userError === null ? describePlace(dir, state) : words().attention,
        words().saved(formatUtc(savedAt, 'minute')),
        holder === null ? '' : words().heldBy(formatHolder(holder)),
      ];
      const lines = joinParts(
        parts.filter((part) => part !== ''),
        columns,
      );
      const reasonLine = userError === null ? '' : `  ${sanitizeLine(`${userError.title}: ${userError.cause}`)}\n`;
      return `${sanitizeLine(dir, 5000)}\n${lines.join('\n')}\n${reasonLine}`;
    })
    .join('');
}

/** Joins the parts of an entry to lines of at most `columns` cells: a part that does not fit begins the next line. */
function joinParts(parts: readonly string[], columns: number): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const joinedLine = `${lines.at(-1) ?? ''}  ${part}`;
    if (lines.length === 0 || getDisplayWidth(joinedLine) > columns) lines.push(truncateLine(`  ${part}`, columns));
    else lines[lines.length - 1] = joinedLine;
  }
  return lines;
}

function describePlace(dir: string, state: SessionState | null): string {
  const screen = state?.place.screen ?? '';
  const title = findEntry(catalogue().screens.sidebar, screen) ?? sanitizeLine(screen, 40);
  const place = state !== null && hasReport(dir, state) ? words().finished : title;
  return state?.rehearsal ? words().rehearsal(place) : place;
}

function formatHolder({ record, liveness }: FoundHolder): string {
  if (record === null) return words().unknownVersion;
  return liveness === 'alive'
    ? describePeer(record)
    : words().uncertainHolder(describePeer(record), sanitizeLine(record.host, 60));
}
