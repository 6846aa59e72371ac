import { afterEach } from 'vitest';
import { setCatalogue, setInstallDirectory } from '../../src/i18n/catalogue.ts';
import { english } from '../../src/i18n/en/index.ts';

// Tests use English, whatever the locale of the host.
setCatalogue(english, 'en');
// A command that a test runs in this process sets its directory for all of its texts.
afterEach(() => setInstallDirectory(null));
