import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';

/** Metadata of a handler, or a controller, that needs no key. */
export const PUBLIC = Symbol('public');

/** Opens an operation to everyone. Without it, the guard asks for a key. */
export const Public = () => applyDecorators(SetMetadata(PUBLIC, true), ApiSecurity({}));
