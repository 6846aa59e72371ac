import type { ClusterVersionView } from '../../cluster/views/cluster-version.ts';
import { judgeGaveUp } from '../../diagnosis/installer/gave-up.ts';
import { judgeOperators } from '../../diagnosis/operators/index.ts';
import { needsAttention, type OperatorState, operatorStates } from '../../diagnosis/operators/states.ts';
import { versionDiffers } from '../../diagnosis/operators/version.ts';
import { judge } from '../../diagnosis/rule.ts';
import { MINUTE, SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Probe, Step, StepContext } from '../contract.ts';
import { apiFindings, look } from '../shared/access.ts';
import { type LogLine, tailInstallerLog } from '../shared/installer/log.ts';
import { type WaitState, waitActions, waitState } from '../shared/installer/wait-for.ts';
import { operatorPage } from './pages.ts';
import { podsOfUnsettled } from './pods.ts';

const words = () => catalogue().steps.operators;

/**
 * What the operators screen draws. `wait` and `log` belong to the installer's own wait-for; `apiDetail` says in a line
 * what is wrong with the API, null: nothing.
 */
export interface OperatorsView {
  readonly clusterVersion: ClusterVersionView | null;
  /** What needs attention first. */
  readonly operators: readonly OperatorState[];
  readonly consoleUrl: string | null;
  readonly wait: WaitState['state'];
  readonly log: readonly LogLine[];
  readonly apiDetail: string | null;
}

/** Waits until the cluster is complete: all operators are in the state we want, and the installer has confirmed it. */
export const operatorsStep: Step<OperatorsView> = {
  id: 'operators',
  lookEvery: 3 * SECOND,
  patience: 60 * MINUTE,
  probe,
  ...waitActions(
    'install-complete',
    () => words().start,
    () => words().needed,
  ),
  verify: probe,
  show: operatorPage,
};

async function probe(context: StepContext): Promise<Probe<OperatorsView>> {
  const [snapshot, wait, log] = await Promise.all([
    look(context, ['nodes', 'clusterVersion', 'operators', 'consoleHost']),
    waitState(context, 'install-complete'),
    tailInstallerLog(context, 100),
  ]);
  const seen = snapshot?.operators ?? [];
  const pods = await podsOfUnsettled(context, seen);
  const operators = operatorStates(context.design, seen, snapshot?.nodes ?? [], pods, context.clock.now());
  const version = snapshot?.clusterVersion ?? null;
  const versions = judge([versionDiffers], {
    designed: context.design.openshift.version,
    runs: version?.version ?? null,
  });
  const consoleUrl = snapshot?.consoleHost ? `https://${snapshot.consoleHost}` : null;
  const apiDetail = snapshot?.api.line ?? null;
  const view: OperatorsView = { clusterVersion: version, operators, consoleUrl, wait: wait.state, log, apiDetail };
  const settled = operators.filter(({ available, degraded }) => available && !degraded);
  const isInstalled = version?.available && !version.progressing && !version.failing;
  // The installer has the last word, and it ignores whether an operator is degraded: it waits for the ClusterVersion,
  // and from 4.15 on until nothing progresses (waitfor.go). We report what is degraded then, and nothing waits for it.
  if (version?.available && wait.state === 'complete') {
    const open = operators.filter(({ available, degraded }) => !available || degraded);
    const summary = words().done(consoleUrl ?? words().consoleUnknown, open.length);
    return { state: 'done', summary, view, findings: [...versions, ...judgeOperators(open, true)] };
  }
  const findings = [...versions, ...judgeOperators(operators.filter(needsAttention), false), ...apiFindings(snapshot)];
  const stable = operators.filter(({ stability }) => stability === 'stable').length;
  const summary =
    isInstalled && settled.length === operators.length
      ? words().settling(stable, operators.length)
      : words().waiting(version?.percent ?? null, settled.length, operators.length);
  if (wait.state === 'none') {
    const isAllThere = isInstalled && settled.length === operators.length;
    return {
      state: 'needed',
      summary: isAllThere ? words().toConfirm(operators.length) : words().needed,
      view,
      findings,
    };
  }
  if (wait.state === 'gave-up') {
    const gaveUp = judgeGaveUp(wait, log);
    return { state: 'needed', summary: words().gaveUp(summary), view, findings: [...findings, ...gaveUp] };
  }
  return { state: 'waiting', summary, view, findings };
}
