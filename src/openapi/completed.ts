import type { OpenAPIObject } from '@nestjs/swagger';
export function completed(document: OpenAPIObject): OpenAPIObject { return document; }
