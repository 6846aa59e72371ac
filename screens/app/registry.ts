import type { ScreenId } from '../../src/wizard/state.ts';
import { bootScreen } from '../boot.tsx';
import { bootstrapScreen } from '../bootstrap.tsx';
import { bootstrapRemovalScreen } from '../bootstrap-removal.tsx';
import { certificatesScreen } from '../certificates/index.tsx';
import { credentialsScreen } from '../credentials.tsx';
import { generateScreen } from '../generate.tsx';
import { hostsScreen } from '../hosts/index.tsx';
import { infraScreen } from '../infra.tsx';
import { nodesScreen } from '../nodes.tsx';
import { operatorsScreen } from '../operators.tsx';
import { prepareScreen } from '../prepare.tsx';
import { reportScreen } from '../report.tsx';
import { reviewScreen } from '../review.tsx';
import { formPage } from '../shared/design/form-page.tsx';
import { visitable } from '../shared/design/visit-bindings.ts';
import type { Screen } from '../shared/screen.ts';
import { welcomeScreen } from '../welcome/index.tsx';

/** Every screen, by its id. */
export const SCREENS: Readonly<Record<ScreenId, Screen>> = {
  welcome: welcomeScreen,
  cluster: visitable(formPage('cluster')),
  networks: visitable(formPage('networks')),
  nodes: visitable(nodesScreen),
  services: visitable(formPage('services')),
  credentials: visitable(credentialsScreen),
  review: visitable(reviewScreen),
  generate: generateScreen,
  hosts: hostsScreen,
  prepare: prepareScreen,
  boot: bootScreen,
  bootstrap: bootstrapScreen,
  'bootstrap-removal': bootstrapRemovalScreen,
  certificates: certificatesScreen,
  operators: operatorsScreen,
  infra: infraScreen,
  report: reportScreen,
};
