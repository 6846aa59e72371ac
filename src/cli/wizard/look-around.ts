import { existsSync } from 'node:fs';
import type { Design } from '../../design/model.ts';
import { checkDocument } from '../../design/parse.ts';
import { configDirectory, listSessions } from '../../session/directories.ts';
import { readSession } from '../../session/load.ts';
import type { SessionState } from '../../session/state.ts';
import type { StepContext } from '../../steps/contract.ts';
import { workspace } from '../../steps/shared/workspace.ts';
import { type Installation, isScreen, type Surroundings, screenIndex, type WizardState } from '../../wizard/state.ts';
import { exampleDocument } from '../session/saved.ts';
import { clusterOf } from '../sessions.ts';
import type { CommandIo } from '../shared/io.ts';

/** Where decisions end: from here on a design is the person's, and no longer the example. */
const DECIDED = 'review';

/** What the welcome shows beside its choices. @param contextFor the world that the wizard works on */
export async function lookAround(
  { welcome: { dir }, design: own, reached }: WizardState,
  contextFor: (design: Design, signal: AbortSignal) => StepContext,
  io: CommandIo,
): Promise<Surroundings> {
  // Loaded after the first frame.
  const [{ lookAtMachine }, { terminalFacts }] = await Promise.all([
    import('../../steps/doctor/index.ts'),
    import('../shared/terminal-facts.ts'),
  ]);
  const design = own ?? checkDocument(exampleDocument()).design;
  const seen =
    design === null
      ? { findings: [], installer: null }
      : await lookAtMachine({
          ...contextFor(design, new AbortController().signal),
          isDecided: own !== null && reached > screenIndex(DECIDED),
          terminal: terminalFacts(io.env),
        });
  return { ...seen, others: otherInstallations(dir, io) };
}

/** The other installations that can be read, without the one in `dir`. */
export function otherInstallations(dir: string, io: CommandIo): Installation[] {
  return listSessions(configDirectory({ ...io.env }))
    .filter((found) => found.dir !== dir)
    .flatMap((found) => {
      const state = stateOf(found.dir);
      if (state === null || !isScreen(state.place.screen)) return [];
      return [
        {
          dir: found.dir,
          cluster: clusterOf(state),
          screen: state.place.screen,
          isFinished: isFinished(found.dir, state),
          isRehearsal: state.rehearsal !== null,
        },
      ];
    });
}

/** Whether an installation came to its report. */
export function isFinished(dir: string, state: SessionState | null = stateOf(dir)): boolean {
  return state?.place.screen === 'report' && existsSync(workspace(dir).report);
}

function stateOf(dir: string): SessionState | null {
  try {
    return readSession(dir);
  } catch {
    // The wizard says what is wrong with it when it is opened.
    return null;
  }
}
