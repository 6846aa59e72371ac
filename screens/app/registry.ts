import type { ScreenId } from '../../src/wizard/state.ts';
import { bootScreen } from '../boot.tsx';
import { bootstrapScreen } from '../bootstrap.tsx';
import { bootstrapRemovalScreen } from '../bootstrap-removal.tsx';
import { certificatesScreen } from '../certificates.tsx';
import { credentialsScreen } from '../credentials.tsx';
import { generateScreen } from '../generate.tsx';
import { hostsScreen } from '../hosts.tsx';
import { infraScreen } from '../infra.tsx';
import { nodesScreen } from '../nodes.tsx';
import { operatorsScreen } from '../operators.tsx';
import { prepareScreen } from '../prepare.tsx';
import { reportScreen } from '../report.tsx';
import { reviewScreen } from '../review.tsx';
import type { Screen } from '../shared/bindings.ts';
import { withEditLock } from '../shared/design/edit-bindings.ts';
import { formPage } from '../shared/design/form-page.tsx';
import { welcomeScreen } from '../welcome.tsx';

/** Every screen, by its id. */
export const SCREENS: Readonly<Record<ScreenId, Screen>> = {
  welcome: welcomeScreen,
  cluster: withEditLock(formPage('cluster')),
  networks: withEditLock(formPage('networks')),
  nodes: withEditLock(nodesScreen),
  services: withEditLock(formPage('services')),
  credentials: withEditLock(credentialsScreen),
  review: withEditLock(reviewScreen),
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
