import { setCatalogue } from '../../src/i18n/catalogue.ts';
import { english } from '../../src/i18n/en/index.ts';

// Tests use English, whatever the locale of the host.
setCatalogue(english, 'en');
