import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';

/** The metadata key of handlers and controllers that require no key. */
export const PUBLIC = Symbol('public');

/** Declares that an operation requires no key. */
export const Public = () => applyDecorators(SetMetadata(PUBLIC, true), ApiSecurity({}));
