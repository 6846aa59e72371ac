import type { PrepareView } from '../src/diagnosis/prepare/items.ts';
import { catalogue } from '../src/text/catalogue.ts';
import { statusText } from '../src/ui/components/status-mark.tsx';
import { Table } from '../src/ui/components/table.tsx';
import { useArea, useLook } from '../src/ui/look.tsx';
import { stepPage } from './shared/step-page.tsx';

const words = () => catalogue().screens.prepare;

/** What has to exist before a machine is switched on. */
export const prepareScreen = stepPage<PrepareView>({
  id: 'prepare',
  isWide: true,
  Body: ({ view }) => <Items view={view} />,
});

function Items({ view }: { readonly view: PrepareView }) {
  const area = useArea();
  const look = useLook();
  return (
    <Table
      columns={[
        { id: 'what', title: words().columns.what, min: 22, max: 28 },
        { id: 'detail', title: words().columns.detail, min: 20, max: 100 },
      ]}
      rows={view.items.map(({ id, state, detail }) => ({
        id,
        cells: { what: statusText(state, look, words().items[id]), detail },
        tones: { what: state === 'ok' ? 'ok' : state === 'failed' ? 'error' : 'dim' },
      }))}
      selected={null}
      height={area.rows}
    />
  );
}
