import { CreateAccountsAndKeys1763596800000 } from '../../../migrations/1763596800000-create-accounts-and-keys.js';
import { CreatePets1763596800001 } from '../../../migrations/1763596800001-create-pets.js';
import { CreateOrders1763596800002 } from '../../../migrations/1763596800002-create-orders.js';
import { CreateMessages1763596800003 } from '../../../migrations/1763596800003-create-messages.js';
import { CreateIdempotencyKeys1763596800004 } from '../../../migrations/1763596800004-create-idempotency-keys.js';
import { DeliverMessages1795219200000 } from '../../../migrations/1795219200000-deliver-messages.js';
import { IndexKeysInForce1795222800000 } from '../../../migrations/1795222800000-index-keys-in-force.js';
import { ExpireRevokedKeys1795564800000 } from '../../../migrations/1795564800000-expire-revoked-keys.js';
import { RemoveDeliveredMessages1795593600000 } from '../../../migrations/1795593600000-remove-delivered-messages.js';
import { KeepNewestRevokedKeys1795867200000 } from '../../../migrations/1795867200000-keep-newest-revoked-keys.js';
import type { MigrationClass } from './migrate.js';

/** The service's own migrations. TypeORM would import a pattern of files in a way that Jest does not support. */
export const MIGRATIONS: readonly MigrationClass[] = [
  CreateAccountsAndKeys1763596800000,
  CreatePets1763596800001,
  CreateOrders1763596800002,
  CreateMessages1763596800003,
  CreateIdempotencyKeys1763596800004,
  DeliverMessages1795219200000,
  IndexKeysInForce1795222800000,
  ExpireRevokedKeys1795564800000,
  RemoveDeliveredMessages1795593600000,
  KeepNewestRevokedKeys1795867200000,
];
