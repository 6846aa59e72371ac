import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readPreviousOutput } from '../../bastion/output-dir.ts';
import { MINUTE } from '../../ports/clock.ts';
import { whenOf } from '../../session/describe-owner.ts';
import { type Happened, type LastSitting, lastSitting } from '../../session/last-sitting.ts';
import { catalogue } from '../../text/catalogue.ts';
import { entryOf } from '../../text/entry.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { Page } from '../contract.ts';
import { linesOf } from '../shared/timeline.ts';
import { workspace } from '../shared/workspace.ts';
import { jobsSince } from './jobs-since.ts';

const words = () => catalogue().back;

/** Who comes back sooner knows what there was. */
const AWAY = 5 * MINUTE;
/** Another person, or the same elsewhere, knows less; who takes over has been told. */
const AWAY_ELSEWHERE = MINUTE;
/** So many lines of what was done, and files. */
const SHOWN = 5;

/** Who is here now, and where the wizard goes on. */
export interface Return {
  readonly user: string;
  readonly from: string | null;
  /** ms of the machine's clock. */
  readonly now: number;
  /** The name of the screen. */
  readonly place: string;
  /** The step whose question nobody has answered. */
  readonly askedBy: string | null;
}

/**
 * What happened in an install directory since the wizard was left, from what this machine has written down: it asks nobody,
 * so it waits for nothing. Call it while the lock is held.
 * @returns null for who was away for moments only, and in a directory where nobody was before
 */
export async function welcomeBack(dir: string, { user, from, now, place, askedBy }: Return): Promise<Page | null> {
  const last = lastSitting(dir);
  if (last === null) return null;
  const isElsewhere = last.user !== user || last.from !== from;
  if (now - last.at < (isElsewhere ? AWAY_ELSEWHERE : AWAY)) return null;
  const who = isElsewhere ? words().who(sanitizeLine(last.user, 60), last.from && sanitizeLine(last.from, 60)) : null;
  const happened = [
    ...few(actsOf(last)),
    ...(await jobsSince(dir, last.at, whenOf)),
    ...few(editedSince(dir, last.at).map((file) => words().edited(sanitizeLine(file, 200)))),
  ];
  return {
    title: words().title(place),
    lines: [
      (last.wasCut ? words().cut : words().left)(whenOf(last.at), who),
      ...(askedBy === null
        ? []
        : [words().question(entryOf(catalogue().steps.titles, askedBy) ?? sanitizeLine(askedBy, 60))]),
      '',
      words().since,
      ...(happened.length === 0 ? [words().nothing] : happened).map((line) => words().line(line)),
    ],
  };
}

/** Acts of one kind in a row are one line, about the last of them: a job approves many requests. */
function actsOf({ since, unfinished }: LastSitting): string[] {
  const lines = [...unfinished, ...since];
  const ends = new Map(lines.flatMap((line) => (line.type === 'ended' ? [[line.id, line]] : [])));
  const kindOf = (line: Happened | undefined) =>
    line?.type === 'begun' ? [line.step, line.action, ends.get(line.id)?.outcome].join(' ') : null;
  const told = lines.filter(({ type }) => type !== 'ended');
  let alike = 0;
  return told.flatMap((line, index) => {
    const kind = kindOf(line);
    if (kind !== null && kind === kindOf(told[index + 1])) {
      alike += 1;
      return [];
    }
    const before = alike;
    alike = 0;
    return linesOf(line, ends, (at) => whenOf(Date.parse(at))).map(({ at, what }) => words().act(at, what, before));
  });
}

/** The generated files that somebody changed since. What cannot be read is told by the step that needs it. */
function editedSince(dir: string, since: number): string[] {
  const { files } = workspace(dir);
  try {
    const output = readPreviousOutput(files);
    return (output?.manifest.files ?? []).flatMap(({ file, sha256 }) => {
      const isNewer = (statSync(join(files, file), { throwIfNoEntry: false })?.mtimeMs ?? 0) > since;
      const text = isNewer ? (output?.contents(file) ?? null) : null;
      return text === null || createHash('sha256').update(text).digest('hex') === sha256 ? [] : [file];
    });
  } catch {
    return [];
  }
}

function few(lines: readonly string[]): string[] {
  const more = lines.length - SHOWN;
  return more > 0 ? [words().earlier(more), ...lines.slice(-SHOWN)] : [...lines];
}
