import { existsSync } from 'node:fs';
import type { Design } from '../../design/model.ts';
import { checkDocument } from '../../design/parse.ts';
import { getConfigDirectory, listSessions } from '../../session/directories.ts';
import { readSession } from '../../session/session-file.ts';
import type { SessionState } from '../../session/state.ts';
import type { StepContext } from '../../steps/contract.ts';
import { workspace } from '../../steps/shared/workspace.ts';
import { type HostOverview, type Installation, isScreen, screenIndex, type WizardState } from '../../wizard/state.ts';

import { createExampleDocument } from '../session/working-session.ts';
import { formatClusterName } from '../sessions.ts';
import type { CommandIo } from '../shared/io.ts';

/** The screen where decisions end: from here on, the design is the user's own and not the example. */
const DECISION_SCREEN = 'review';

/**
 * Probes this machine and lists the other installations, for the welcome screen.
 * @param contextFor creates the context that the wizard works with
 */
export async function probeHost(
  { welcome: { dir }, design: currentDesign, reached }: WizardState,
  contextFor: (design: Design, signal: AbortSignal) => StepContext,
  io: CommandIo,
): Promise<HostOverview> {
  // Loaded after the first frame.
  const [{ inspectMachine }, { getTerminalFacts }] = await Promise.all([
    import('../../steps/doctor/index.ts'),
    import('../shared/terminal-facts.ts'),
  ]);
  const design = currentDesign ?? checkDocument(createExampleDocument()).design;
  const result =
    design === null
      ? { findings: [], installer: null }
      : await inspectMachine({
          ...contextFor(design, new AbortController().signal),
          isDecided: currentDesign !== null && reached > screenIndex(DECISION_SCREEN),
          terminal: getTerminalFacts(io.env),
        });
  return { ...result, others: listOtherInstallations(dir, io) };
}

/** Lists the other installations that can be read, without the one in `dir`. */
export function listOtherInstallations(dir: string, io: CommandIo): Installation[] {
  return listSessions(getConfigDirectory({ ...io.env }))
    .filter((found) => found.dir !== dir)
    .flatMap((found) => {
      const state = tryReadSession(found.dir);
      if (state === null || !isScreen(state.place.screen)) return [];
      return [
        {
          dir: found.dir,
          cluster: formatClusterName(state),
          screen: state.place.screen,
          isFinished: isInstallationFinished(found.dir, state),
          isRehearsal: state.rehearsal !== null,
        },
      ];
    });
}

/** Whether an installation has reached its report. */
export function isInstallationFinished(dir: string, state: SessionState | null = tryReadSession(dir)): boolean {
  return state?.place.screen === 'report' && existsSync(workspace(dir).report);
}

function tryReadSession(dir: string): SessionState | null {
  try {
    return readSession(dir);
  } catch {
    // The wizard reports the error when it opens the session.
    return null;
  }
}
