import type { ClusterVersionView } from '../cluster/views/cluster-version.ts';
import type { OperatorView } from '../cluster/views/operator.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { MINUTE, SECOND } from '../ports/clock.ts';
import { findings as findingWords } from '../text/en/findings.ts';
import { steps } from '../text/en/steps.ts';
import { apiFindings, look } from './access.ts';
import type { Probe, Step, StepContext } from './contract.ts';
import { type LogLine, tailInstallerLog } from './installer-log.ts';
import { gaveUpFinding, type WaitState, waitActions, waitState } from './wait-for.ts';

const words = steps.operators;
/** Degraded for a short while is normal during an installation; the operators' own grace periods are up to 10 minutes. */
const DEGRADED_FOR = 15 * MINUTE;

export interface OperatorsView {
  readonly clusterVersion: ClusterVersionView | null;
  /** What needs attention first. */
  readonly operators: readonly OperatorView[];
  readonly consoleUrl: string | null;
  readonly wait: WaitState['state'];
  readonly log: readonly LogLine[];
  readonly apiDetail: string | null;
}

export const operatorsStep: Step<OperatorsView> = {
  id: 'operators',
  lookEvery: 3 * SECOND,
  patience: 60 * MINUTE,
  probe,
  ...waitActions('install-complete', words.start, words.needed),
  verify: probe,
};

async function probe(context: StepContext): Promise<Probe<OperatorsView>> {
  const [snapshot, wait, log] = await Promise.all([
    look(context, ['clusterVersion', 'operators', 'consoleHost']),
    waitState(context, 'install-complete'),
    tailInstallerLog(context, 100),
  ]);
  const operators = [...(snapshot?.operators ?? [])].sort(byNeed);
  const version = snapshot?.clusterVersion ?? null;
  const consoleUrl = snapshot?.consoleHost ? `https://${snapshot.consoleHost}` : null;
  const apiDetail = snapshot?.api.line ?? null;
  const view: OperatorsView = { clusterVersion: version, operators, consoleUrl, wait: wait.state, log, apiDetail };
  const settled = operators.filter(({ available, degraded }) => available && !degraded);
  const isInstalled = version?.available && !version.progressing && !version.failing;
  const findings = [...operatorFindings(operators, context.clock.now()), ...apiFindings(snapshot)];
  if (isInstalled && operators.length > 0 && settled.length === operators.length && wait.state === 'complete') {
    return { state: 'done', summary: words.done(consoleUrl ?? words.consoleUnknown), view, findings: [] };
  }
  const summary = words.waiting(version?.done ?? 0, version?.total ?? 0, settled.length, operators.length);
  if (wait.state === 'none') return { state: 'needed', summary: words.needed, view, findings };
  if (wait.state === 'gave-up') {
    const gaveUp = gaveUpFinding(wait, log);
    return { state: 'needed', summary, view, findings: [...findings, gaveUp] };
  }
  return { state: 'waiting', summary, view, findings };
}

/** Degraded first, then unavailable, then progressing, then the rest; by name within each. */
function byNeed(a: OperatorView, b: OperatorView): number {
  const rank = ({ degraded, available, progressing }: OperatorView) =>
    degraded ? 0 : !available ? 1 : progressing ? 2 : 3;
  return rank(a) - rank(b) || a.name.localeCompare(b.name);
}

function operatorFindings(operators: readonly OperatorView[], now: number): Finding[] {
  const { title, whatToDo } = findingWords.operator;
  return operators
    .filter(({ degraded, since }) => degraded && since !== null && now - since > DEGRADED_FOR)
    .map(({ name, reason, message }) => ({
      code: 'operator-degraded',
      severity: 'fatal',
      subject: name,
      title: title(name),
      cause: `${reason}: ${message}`,
      whatToDo: whatToDo(name),
    }));
}
