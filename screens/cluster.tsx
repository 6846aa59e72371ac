import { formPage } from './shared/form-page.tsx';

export const clusterScreen = formPage('cluster');
