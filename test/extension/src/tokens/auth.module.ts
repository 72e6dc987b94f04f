import { AuthModule } from 'petstore';

import { TokenVerifier } from './token-verifier.js';

/** The one instance of the module. The composition and the modules that verify tokens import it. */
export const authModule = AuthModule.register({ verifier: TokenVerifier });
