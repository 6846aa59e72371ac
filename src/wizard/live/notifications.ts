import { catalogue } from '../../i18n/catalogue.ts';
import type { CertificatesView } from '../../steps/certificates/certificates-probe.ts';
import { STEP_IDS, type StepId } from '../../steps/contract.ts';
import type { WizardState } from '../state.ts';
import { getStepError, isInProgress, type StepRun } from './step-run.ts';

/** A reason why the user is needed. `key` identifies it: the same reason is reported once. */
interface NotificationReason {
  readonly key: string;
  readonly text: string;
}

const words = () => catalogue().notifications;

/** Lists the reasons why a state needs the user, without those of the state before. */
function listNotificationReasons(
  previousState: Pick<WizardState, 'runs'>,
  state: Pick<WizardState, 'runs'>,
): NotificationReason[] {
  return STEP_IDS.flatMap((id) => {
    const [oldRun, run] = [previousState.runs[id], state.runs[id]];
    return oldRun === run ? [] : listStepReasons(id, oldRun, run);
  });
}

function listStepReasons(id: StepId, oldRun: StepRun, run: StepRun): NotificationReason[] {
  const title = catalogue().steps.titles[id];
  const wasBusy = isInProgress(oldRun);
  const isProbedAfterAction = oldRun.phase === 'probing' && oldRun.appliedAt !== null;
  const reasons: NotificationReason[] = [];
  if (run.probe?.job?.isAsking && !oldRun.probe?.job?.isAsking)
    reasons.push({
      key: `${id} question ${run.probe.job.startedAt} ${run.probe.summary}`,
      text: words().question(title),
    });
  if (run.phase === 'done' && (wasBusy || isProbedAfterAction))
    reasons.push({ key: `${id} done`, text: words().done(title) });
  if (run.phase === 'ready' && run.probe.state === 'blocked' && isProbedAfterAction)
    reasons.push({ key: `${id} blocked ${run.probe.summary}`, text: words().blocked(title, run.probe.summary) });
  const error = getStepError(run);
  if (run.phase === 'failed' && error !== null && wasBusy)
    reasons.push({ key: `${id} failed ${error.title}`, text: words().failed(title, error.title) });
  if (id === 'certificates') reasons.push(...listApprovalReasons(run));
  return reasons;
}

/** Returns the reason if CSRs wait for the user: refused ones, and expected ones while the step does not approve. */
function listApprovalReasons(run: StepRun): NotificationReason[] {
  const view = run.probe?.view as CertificatesView | undefined;
  const isApproving = run.phase === 'applying';
  const waitingRequests = (view?.requests ?? []).filter(
    ({ verdict }) => verdict === 'refused' || (verdict === 'expected' && !isApproving),
  );
  const nodes = [...new Set(waitingRequests.map(({ shortName, node, name }) => shortName ?? node ?? name))];
  return waitingRequests.length === 0
    ? []
    : [
        {
          key: `requests ${waitingRequests
            .map(({ uid }) => uid)
            .sort()
            .join(' ')}`,
          text: words().requests(nodes),
        },
      ];
}

/** Creates the sender of notifications, which reports each reason once. */
export function createNotifier(notify: (text: string) => void) {
  const reportedKeys = new Set<string>();
  return {
    /** Returns whether a notification was sent. */
    notifyOfChanges(previousState: Pick<WizardState, 'runs'>, state: Pick<WizardState, 'runs'>): boolean {
      const newReasons = listNotificationReasons(previousState, state).filter(({ key }) => !reportedKeys.has(key));
      for (const { key, text } of newReasons) {
        reportedKeys.add(key);
        notify(text);
      }
      return newReasons.length > 0;
    },
  };
}
