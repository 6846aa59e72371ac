import type { ScreenId } from '../src/wizard/state.ts';
import { bootScreen } from './boot.tsx';
import { bootstrapScreen } from './bootstrap.tsx';
import { bootstrapRemovalScreen } from './bootstrap-removal.tsx';
import { certificatesScreen } from './certificates.tsx';
import { clusterScreen } from './cluster.tsx';
import { credentialsScreen } from './credentials.tsx';
import { generateScreen } from './generate.tsx';
import { hostsScreen } from './hosts.tsx';
import { infraScreen } from './infra.tsx';
import { networksScreen } from './networks.tsx';
import { nodesScreen } from './nodes.tsx';
import { operatorsScreen } from './operators.tsx';
import { prepareScreen } from './prepare.tsx';
import { reportScreen } from './report.tsx';
import { reviewScreen } from './review.tsx';
import { servicesScreen } from './services.tsx';
import type { Screen } from './shared/screen.ts';
import { visitable } from './shared/visit-bindings.ts';
import { welcomeScreen } from './welcome.tsx';

/** Every screen, by its id. */
export const SCREENS: Readonly<Record<ScreenId, Screen>> = {
  welcome: welcomeScreen,
  cluster: visitable(clusterScreen),
  networks: visitable(networksScreen),
  nodes: visitable(nodesScreen),
  services: visitable(servicesScreen),
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
