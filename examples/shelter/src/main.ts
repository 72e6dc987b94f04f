import { exitWith, serve } from 'petstore';

import { ShelterModule } from './shelter.module.js';

await serve(ShelterModule).catch(exitWith);
