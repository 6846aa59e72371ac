import type { RemovalView } from '../src/steps/bootstrap-removal.ts';
import { steps } from '../src/text/en/steps.ts';
import { LogView } from '../src/ui/components/text-views.tsx';
import { useArea } from '../src/ui/look.tsx';
import { changeLines } from './shared/changes.ts';
import { stepPage } from './shared/step-page.tsx';

/** What changes on the load balancer, as a diff. */
export const bootstrapRemovalScreen = stepPage<RemovalView>({
  id: 'bootstrap-removal',
  isWide: true,
  Body: ({ view }) => <Diff view={view} />,
});

function Diff({ view }: { readonly view: RemovalView }) {
  const area = useArea();
  const lines = changeLines(view.changes.map(({ object, before, after }) => ({ object, before, after })));
  return (
    <LogView
      lines={lines}
      top={0}
      height={area.rows}
      empty={view.bootstrap ? steps.removal.powerOff(view.bootstrap) : ''}
    />
  );
}
