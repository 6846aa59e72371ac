import { FOLLOW, type ReportView } from '../src/steps/report/index.ts';
import { catalogue, commandLine } from '../src/text/catalogue.ts';
import { LogView } from '../src/ui/components/text-views.tsx';
import { useArea } from '../src/ui/look.tsx';
import { stepPage } from './shared/step-page.tsx';

/** The report of the finished cluster. */
export const reportScreen = stepPage<ReportView>({
  id: 'report',
  rowCount: ({ lines }) => lines.length,
  bindings: ({ isFollowing }, _row, { phase }) => {
    if (phase === 'applying') return [];
    const subject = isFollowing ? FOLLOW.stop : FOLLOW.start;
    const label = isFollowing ? catalogue().screens.keys.followStop : catalogue().screens.keys.follow;
    return [
      { keys: ['f'], label, intent: { type: 'step/ask', action: 'apply-one', subject } },
      {
        keys: ['n'],
        label: catalogue().screens.keys.addNodes,
        intent: { type: 'screen/go', screen: 'nodes', field: 'nodes' },
      },
    ];
  },
  questionOf: (_view, subject) => {
    const { question, details } = catalogue().steps.report;
    const asked = subject === FOLLOW.stop ? FOLLOW.stop : FOLLOW.start;
    return { question: question[asked], details: details[asked](commandLine('csr', 'approve', '--stop')) };
  },
  Body: ({ view, run }) => <Lines lines={view.lines} top={run.row} />,
});

function Lines({ lines, top }: { readonly lines: readonly string[]; readonly top: number }) {
  const area = useArea();
  return <LogView lines={lines} top={Math.max(0, Math.min(top, lines.length - area.rows))} height={area.rows} />;
}
