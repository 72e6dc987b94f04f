// A dependency in CommonJS requires these modules, so Jest must have loaded them before.
import '@nestjs/common';
import '@nestjs/core';
