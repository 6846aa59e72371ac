import { speak } from '../../src/text/catalogue.ts';
import { english } from '../../src/text/en/index.ts';

// Tests speak English, whatever the machine they run on does.
speak(english, 'en');
