import type { Type } from '@nestjs/common';
import { Command } from 'commander';
import { withServices } from 'petstore';

import { VisitsRepository } from './visits.repository.js';

/** `shelter visits` */
export const visitsCommand = (root: Type): Command =>
  new Command('visits').description('print the first visits as lines of JSON').action(() =>
    withServices(root, async (services) => {
      for (const { id, petId, ...visit } of await services
        .get(VisitsRepository, { strict: false })
        .list(0n, 100)) {
        console.log(JSON.stringify({ id: id.toString(), petId: petId.toString(), ...visit }));
      }
    }),
  );
