import { existsSync } from 'node:fs';
import { readGivenFile } from '../../ports/plain-file.ts';
import {
  lookAtMoves,
  type MoveSite,
  movedOn,
  parsePlan,
  planToSave,
  type SavedPlan,
  type SeenMove,
} from '../../steps/infra/index.ts';
import { catalogue } from '../../text/catalogue.ts';
import { jsonText } from '../../text/json-text.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { systemReason } from '../../text/system-reason.ts';
import type { LiveIo } from '../shared/live-io.ts';
import { writeNew } from '../shared/new-file.ts';
import { UsageError } from '../shared/usage.ts';
import { applyAsked } from './apply.ts';
import { type Consent, type Outcome, say } from './says.ts';

const words = () => catalogue().live.infra;

/** Saves what one yes would start now in a new file. @returns false where it could not, and said why */
export async function savePlan(
  site: MoveSite,
  moves: readonly SeenMove[],
  file: string,
  io: Pick<LiveIo, 'stderr'>,
): Promise<boolean> {
  const plan = await planToSave(site, moves);
  const problem = writeNew(file, jsonText(plan));
  if (problem === null) say(io, words().planSaved(file));
  else
    say(io, problem.code === 'EEXIST' ? words().planIsThere(file) : words().planNotSaved(file, systemReason(problem)));
  return problem === null;
}

/** The plan in a file. @throws UsageError where there is none */
export function readPlan(file: string): SavedPlan {
  let text: string;
  try {
    text = readGivenFile(file);
  } catch (error) {
    throw new UsageError(words().planUnreadable(sanitizeLine(file), systemReason(error, 'read')));
  }
  const plan = parsePlan(text);
  if (plan === null) throw new UsageError(words().noPlan(sanitizeLine(file)));
  return plan;
}

/** Applies a saved plan, once, and only while each change is the one that was saved. */
export async function applySaved(
  site: MoveSite,
  { plan, file }: { readonly plan: SavedPlan; readonly file: string },
  io: LiveIo,
  consent: Consent,
): Promise<Outcome> {
  const names = plan.moves.map(({ name }) => name);
  const mark = `${file}.used`;
  const refused = async () => ({ moves: await lookAtMoves(site, names), isGood: false });
  if (existsSync(mark)) {
    say(io, words().planUsed(file, mark));
    return await refused();
  }
  const moved = await movedOn(site, plan);
  if (moved.length > 0) {
    say(io, words().planMovedOn(new Date(plan.madeAt).toISOString()));
    for (const line of moved) say(io, `  ${line}`);
    return await refused();
  }
  const begin = () => {
    // Made by one process only, however many begin at once.
    const problem = writeNew(mark, `${new Date(site.clock.now()).toISOString()}\n`);
    if (problem === null) return true;
    const { code, message } = problem;
    say(io, code === 'EEXIST' ? words().planUsed(file, mark) : words().planNotSaved(mark, message));
    return false;
  };
  const shown = plan.moves.flatMap(({ changes }) => changes);
  return await applyAsked(site, names, io, consent, { shown, begin });
}
