import { FOLLOW, type ReportView } from '../src/steps/report/index.ts';
import { screens } from '../src/text/en/screens.ts';
import { steps } from '../src/text/en/steps.ts';
import { LogView } from '../src/ui/components/text-views.tsx';
import { useArea } from '../src/ui/look.tsx';
import { stepPage } from './shared/step-page.tsx';

/** What was built. */
export const reportScreen = stepPage<ReportView>({
  id: 'report',
  rowCount: ({ lines }) => lines.length,
  bindings: ({ isFollowing }, _row, { phase }) => {
    if (phase === 'applying') return [];
    const subject = isFollowing ? FOLLOW.stop : FOLLOW.start;
    const label = isFollowing ? screens.keys.followStop : screens.keys.follow;
    return [
      { keys: ['f'], label, intent: { type: 'step/ask', action: 'apply-one', subject } },
      { keys: ['n'], label: screens.keys.addNodes, intent: { type: 'screen/go', screen: 'nodes' } },
    ];
  },
  questionOf: (_view, subject) => ({
    question: steps.report.question[subject] ?? '',
    details: steps.report.details[subject] ?? [],
  }),
  Body: ({ view, run }) => <Lines lines={view.lines} top={run.row} />,
});

function Lines({ lines, top }: { readonly lines: readonly string[]; readonly top: number }) {
  const area = useArea();
  return <LogView lines={lines} top={Math.max(0, Math.min(top, lines.length - area.rows))} height={area.rows} />;
}
