import { CreateAccountsAndKeys1763596800000 } from './1763596800000-create-accounts-and-keys.js';
import { CreatePets1763596800001 } from './1763596800001-create-pets.js';
import { CreateOrders1763596800002 } from './1763596800002-create-orders.js';
import { CreateMessages1763596800003 } from './1763596800003-create-messages.js';
import { CreateIdempotencyKeys1763596800004 } from './1763596800004-create-idempotency-keys.js';
import { DeliverMessages1795219200000 } from './1795219200000-deliver-messages.js';
import { IndexKeysInForce1795222800000 } from './1795222800000-index-keys-in-force.js';

/** All migrations, the oldest first. */
export const MIGRATIONS = [
  CreateAccountsAndKeys1763596800000,
  CreatePets1763596800001,
  CreateOrders1763596800002,
  CreateMessages1763596800003,
  CreateIdempotencyKeys1763596800004,
  DeliverMessages1795219200000,
  IndexKeysInForce1795222800000,
];
