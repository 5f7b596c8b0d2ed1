#pragma once
float number(int i);
