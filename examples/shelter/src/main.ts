import { createApp, exitWith, serve } from 'petstore';

import { ShelterModule } from './shelter.module.js';

try {
  const app = await createApp(ShelterModule);
  app.enableVersioning();
  await serve(app);
} catch (error) {
  exitWith(error);
}
