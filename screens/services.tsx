import { formPage } from './shared/form-page.tsx';

export const servicesScreen = formPage('services');
