import type { ReportView } from '../src/steps/report.ts';
import { LogView } from '../src/ui/components/text-views.tsx';
import { useArea } from '../src/ui/look.tsx';
import { stepPage } from './shared/step-page.tsx';

/** What was built. */
export const reportScreen = stepPage<ReportView>({
  id: 'report',
  rowCount: ({ lines }) => lines.length,
  Body: ({ view, run }) => <Lines lines={view.lines} top={run.row} />,
});

function Lines({ lines, top }: { readonly lines: readonly string[]; readonly top: number }) {
  const area = useArea();
  return <LogView lines={lines} top={Math.max(0, Math.min(top, lines.length - area.rows))} height={area.rows} />;
}
