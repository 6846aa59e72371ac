import { catalogue, commandLine } from '../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { displayWidth, padEnd, wrapBeside } from '../src/platform/text.ts';
import type { ReportSection, ReportView } from '../src/steps/report.ts';
import { formatTarget, parseTarget } from '../src/steps/step-action.ts';
import { LogView, type TextLine } from '../src/ui/components/text-views.tsx';
import { useArea } from '../src/ui/terminal-style.tsx';
import { createStepScreen } from './shared/step/step-page.tsx';
import { renderMarkdown } from './shared/text.tsx';

const words = () => catalogue().screens.report;

/**
 * The report of the finished cluster: how to log in, what is left to do, and then what the file has.
 *
 *     Console     https://console-openshift-console.apps.ocp45.example.localdomain
 *     User        kubeadmin (p shows the password)
 *     kubeconfig  /root/upi-cluster/auth/kubeconfig
 */
export const reportScreen = createStepScreen<ReportView>({
  id: 'report',
  isWide: true,
  wraps: true,
  neededColumns: () => NARROW_COLUMNS,
  rowCount: (view) => renderReport(view, NARROW_COLUMNS).length,
  bindings: ({ isApprovingCsrs: isFollowing }, _row, { phase }) => {
    if (phase === 'applying') return [];
    const subject = formatTarget({ kind: 'approval-job', change: isFollowing ? 'stop' : 'start' });
    const label = isFollowing ? catalogue().screens.keys.followStop : catalogue().screens.keys.follow;
    return [
      {
        keys: [SHORTCUTS.password],
        label: catalogue().screens.keys.password,
        intent: { type: 'step/show', subject: 'password' },
      },
      { keys: [SHORTCUTS.background], label, intent: { type: 'step/ask', action: 'apply-one', subject } },
      {
        keys: [SHORTCUTS.add],
        label: catalogue().screens.keys.addNodes,
        intent: { type: 'screen/go', screen: 'nodes', field: 'nodes' },
      },
    ];
  },
  getQuestion: (_view, subject) => {
    const { question, details } = catalogue().steps.report;
    const target = parseTarget('report', subject);
    const followSubject = target.kind === 'approval-job' && target.change === 'stop' ? 'follow-stop' : 'follow';
    return {
      question: question[followSubject],
      details: details[followSubject](commandLine('csr', 'approve', '--stop')),
    };
  },
  Body: ({ view, run }) => <Report view={view} top={run.row} />,
});

const NARROW_COLUMNS = 60;

/** Sections with the next actions come before those for later reference. */
const SECTION_ORDER: readonly ReportSection['id'][] = [
  'open',
  'overrides',
  'afterwards',
  'secrets',
  'facts',
  'nodes',
  'services',
  'pods',
  'timeline',
];

function renderReport({ consoleUrl: url, kubeconfig, sections, path }: ReportView, columns: number): TextLine[] {
  const { console: consoleName, consoleUnknown, user, passwordHint, kubeconfig: fileName, file } = words();
  const facts = [
    [consoleName, url ?? consoleUnknown],
    [user, passwordHint],
    [fileName, kubeconfig],
    [file, path],
  ] as const;
  const width = Math.max(...facts.map(([name]) => displayWidth(name)));
  return [
    ...facts.flatMap(([name, value]) =>
      wrapBeside(`${padEnd(name, width, '')}  `, value, columns).map((text): TextLine => ({ text })),
    ),
    ...SECTION_ORDER.flatMap((id) => sections.filter((section) => section.id === id)).flatMap(({ heading, lines }) => [
      { text: '' },
      ...renderMarkdown(heading === '' ? lines : [heading, ...lines], columns),
    ]),
  ];
}

function Report({ view, top }: { readonly view: ReportView; readonly top: number }) {
  const area = useArea();
  const lines = renderReport(view, area.columns);
  const first = Math.max(0, Math.min(top, lines.length - area.rows));
  const remaining = lines.length - first - area.rows;
  // Lines that do not fit are counted, so that nothing is cut silently.
  const more: TextLine = { text: catalogue().ui.moreBelow(remaining + 1), tone: 'accent' };
  const visibleLines = remaining <= 0 ? lines.slice(first) : [...lines.slice(first, first + area.rows - 1), more];
  return <LogView lines={visibleLines} top={0} height={area.rows} />;
}
