import type { BootView } from '../src/steps/boot.ts';
import { screens } from '../src/text/en/screens.ts';
import { steps } from '../src/text/en/steps.ts';
import { statusText } from '../src/ui/components/status-mark.tsx';
import { Table } from '../src/ui/components/table.tsx';
import { useArea, useLook } from '../src/ui/look.tsx';
import { stepPage } from './shared/step-page.tsx';

const words = screens.boot;

/** The machines and how far each has come, as their requests show it. */
export const bootScreen = stepPage<BootView>({
  id: 'boot',
  isWide: true,
  rowCount: ({ nodes }) => nodes.length,
  Body: ({ view, run, now }) => <Grid view={view} row={run.row} now={now} />,
});

function Grid({ view, row, now }: { readonly view: BootView; readonly row: number; readonly now: number }) {
  const area = useArea();
  const look = useLook();
  return (
    <Table
      columns={[
        { id: 'name', title: words.columns.name, min: 4, max: 14 },
        { id: 'stage', title: words.columns.stage, min: 15, max: 18 },
        { id: 'seen', title: words.columns.seen, min: 8, max: 10 },
        { id: 'role', title: words.columns.role, min: 13, max: 13, priority: 1 },
        { id: 'address', title: words.columns.address, min: 12, max: 16, priority: 2 },
        { id: 'detail', title: words.columns.detail, min: 16, max: 60, priority: 3 },
      ]}
      rows={view.nodes.map(({ name, role, address, stage, lastSeenAt, detail, poweredOnAt }) => {
        const isThere = stage === 'ignition' || stage === 'ready';
        const status = isThere ? 'ok' : poweredOnAt === null && stage === 'off' ? 'pending' : 'running';
        return {
          id: name,
          cells: {
            name,
            role,
            address,
            detail,
            stage: statusText(status, look, steps.boot.stages[stage]),
            seen: lastSeenAt === null ? '' : screens.age(now - lastSeenAt),
          },
          tones: { stage: isThere ? 'ok' : status === 'running' ? 'accent' : 'dim' },
        };
      })}
      selected={row}
      height={area.rows}
    />
  );
}
