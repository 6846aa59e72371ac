import { parseArgs } from 'node:util';
import { holderOf } from '../session/ask-holder.ts';
import { describeGuest } from '../session/describe-owner.ts';
import { configDirectory, type FoundSession, listSessions } from '../session/directories.ts';
import { readSession } from '../session/load.ts';
import type { FoundOwner } from '../session/owner-files.ts';
import type { SessionState } from '../session/state.ts';
import { catalogue } from '../text/catalogue.ts';
import { entryOf } from '../text/entry.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { type Trouble, TroubleError } from '../text/trouble.ts';
import { getAt } from '../wizard/design/document.ts';
import { cutLine, type LiveIo } from './shared/live-io.ts';

const words = () => catalogue().holder.sessions;

/** An installation that was worked on here. */
interface Listed {
  readonly dir: string;
  readonly savedAt: number;
  /** Null where it cannot be read: `trouble` says why. */
  readonly state: SessionState | null;
  readonly trouble: Trouble | null;
  readonly holder: FoundOwner | null;
}

/** `upi-wizard sessions [--json]`: the installations that were worked on here, the one used last first. Looks only. */
export async function sessionsCommand(argv: readonly string[], io: LiveIo): Promise<number> {
  const { values } = parseArgs({ args: [...argv], options: { json: { type: 'boolean', default: false } } });
  const found = listSessions(configDirectory({ ...io.env }));
  const listed = await Promise.all(found.map(read));
  if (values.json) io.stdout(`${JSON.stringify({ sessions: listed.map(documentOf) }, null, 2)}\n`);
  else io.stdout(listed.length === 0 ? `${words().none}\n` : textOf(listed, io.columns));
  return 0;
}

async function read({ dir, savedAt }: FoundSession): Promise<Listed> {
  const holder = await holderOf(dir);
  try {
    return { dir, savedAt, state: readSession(dir), trouble: null, holder };
  } catch (error) {
    if (!(error instanceof TroubleError)) throw error;
    return { dir, savedAt, state: null, trouble: error.trouble, holder };
  }
}

/** `name.baseDomain` as typed so far; empty before that. */
export function clusterOf(state: SessionState | null): string {
  const texts = ['cluster.name', 'cluster.baseDomain'].map((path) => getAt(state?.design, path));
  return sanitizeLine(texts.filter((text) => typeof text === 'string').join('.'), 100);
}

function documentOf({ dir, savedAt, state, trouble, holder }: Listed) {
  const owner = holder?.owner ?? null;
  return {
    dir,
    cluster: clusterOf(state) || null,
    screen: state?.place.screen ?? null,
    savedAt: new Date(savedAt).toISOString(),
    rehearsal: state === null ? null : state.rehearsal !== null,
    heldBy: holder && {
      user: owner?.user ?? null,
      from: owner?.from ?? null,
      tty: owner?.tty ?? null,
      host: owner?.host ?? null,
      pid: owner?.pid ?? null,
      program: owner?.program ?? null,
      since: owner ? new Date(owner.since).toISOString() : null,
      isSure: holder.liveness === 'alive',
    },
    attention: trouble?.code ?? null,
  };
}

/** The directory stands alone on its line, whole: it is what the next command is given. */
function textOf(listed: readonly Listed[], columns: number): string {
  return listed
    .map(({ dir, savedAt, state, trouble, holder }) => {
      const parts = [
        clusterOf(state),
        trouble === null ? placeOf(state) : words().attention,
        words().saved(new Date(savedAt).toISOString().slice(0, 16).replace('T', ' ')),
        holder === null ? '' : words().heldBy(holderText(holder)),
      ];
      const line = cutLine(`  ${parts.filter((part) => part !== '').join('  ')}`, columns);
      const why = trouble === null ? '' : `  ${sanitizeLine(`${trouble.title}: ${trouble.cause}`)}\n`;
      return `${sanitizeLine(dir, 5000)}\n${line}\n${why}`;
    })
    .join('');
}

function placeOf(state: SessionState | null): string {
  const screen = state?.place.screen ?? '';
  const place = entryOf(catalogue().screens.rail, screen) ?? sanitizeLine(screen, 40);
  return state?.rehearsal ? words().rehearsing(place) : place;
}

function holderText({ owner, liveness }: FoundOwner): string {
  if (owner === null) return words().somebody;
  return liveness === 'alive'
    ? describeGuest(owner)
    : words().unsure(describeGuest(owner), sanitizeLine(owner.host, 60));
}
