import { exitWith, petstoreCommand } from 'petstore';

import { ShelterModule } from './shelter.module.js';
import { visitsCommand } from './visits/visits.command.js';

await petstoreCommand(ShelterModule).addCommand(visitsCommand(ShelterModule)).parseAsync().catch(exitWith);
