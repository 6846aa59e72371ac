import type { HostsView } from '../src/steps/hosts.ts';
import { screens } from '../src/text/en/screens.ts';
import { statusText } from '../src/ui/components/status-mark.tsx';
import { Table } from '../src/ui/components/table.tsx';
import { useArea, useLook } from '../src/ui/look.tsx';
import { stepPage } from './shared/step-page.tsx';

const words = screens.hosts;

/** What each running service was asked, and what it answered; wrong answers first. */
export const hostsScreen = stepPage<HostsView>({
  id: 'hosts',
  isWide: true,
  rowCount: ({ checks }) => checks.length,
  Body: ({ view, run }) => <Checks view={view} row={run.row} />,
});

function Checks({ view, row }: { readonly view: HostsView; readonly row: number }) {
  const area = useArea();
  const look = useLook();
  const checks = [...view.checks].sort((a, b) => Number(a.isOk) - Number(b.isOk));
  return (
    <Table
      columns={[
        { id: 'what', title: words.columns.what, min: 24, max: 46 },
        { id: 'answer', title: words.columns.answer, min: 16, max: 60 },
        { id: 'server', title: words.columns.server, min: 12, max: 39, priority: 2 },
      ]}
      rows={checks.map(({ what, server, isOk, detail, kind }) => ({
        id: `${kind} ${server} ${what}`,
        cells: { what: statusText(isOk ? 'ok' : 'failed', look, what), server, answer: detail },
        tones: { what: isOk ? 'ok' : 'error' },
      }))}
      selected={row}
      height={area.rows}
    />
  );
}
